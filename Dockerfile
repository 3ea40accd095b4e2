# The operator's image: one static program and the certificates of public authorities. Building for several platforms:
#   docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=$(git describe --tags --always) .
ARG GO_VERSION=1.26

FROM --platform=$BUILDPLATFORM golang:${GO_VERSION} AS build
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=unknown
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false -ldflags "-X main.version=${VERSION}" -o bin/manager ./cmd/manager

FROM scratch
ARG VERSION=unknown
ARG REVISION=unknown
ARG REPOSITORY=unknown
LABEL org.opencontainers.image.title="Projection" \
      org.opencontainers.image.description="Copies any namespaced Kubernetes object into other namespaces, and keeps every copy in sync." \
      org.opencontainers.image.source="${REPOSITORY}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/bin/manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
