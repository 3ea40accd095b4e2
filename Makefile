# `make help` lists the targets. Only Go, git, make, gcc and bash have to be installed: every tool is a Go
# module, pinned below test/tools and test/controlplane, and built once.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
CONTROLLER_GEN := bin/controller-gen
GOLANGCI_LINT := bin/golangci-lint
ACTIONLINT := bin/actionlint
HELM := bin/helm
KUSTOMIZE := bin/kustomize
CHART := deploy/charts/projection
# Flags for every program, released or not, so that a package that several of them import is compiled once. build.sh in
# test/controlplane and the Dockerfile use the same flags. Tests with the race detector have other flags.
BUILD := CGO_ENABLED=0 go build -trimpath -buildvcs=false
ALIKE := CGO_ENABLED=0 GOFLAGS="$${GOFLAGS-} -trimpath"
GENERATED := CONTRIBUTING.md api config/crd/bases config/rbac docs/reference config/prometheus/rule.yaml $(CHART)/files/crds $(CHART)/files/policies deploy/install.yaml deploy/olm test/goapi/export test/consumer/api test/consumer/crd
BENCH_FLAGS ?=
BENCH_OUT ?= dist/bench.json
PLOTS ?= dist
KEEP ?=
UI ?=
BINDIR ?= $(HOME)/.local/bin
PLUGIN ?= bin/kubectl-projection
FUZZTIME ?= 60s
PACKAGES ?= ./...
# A package that takes long, needs little of the processors, and would otherwise be the last one.
FIRST := ./test/upgrade
TESTED := go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}'
# How many packages are tested at once: one more than there are processors, because most tests wait for an API server half of their time.
AT_ONCE ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 1 )))
# Separate modules with tests, so that the operator's module does not require their dependencies.
NESTED := test/gitops test/bench/plot test/consumer
# The one whose tests need more than Go: Chromium.
BROWSER := test/browser
TESTFLAGS ?=
MINUTES ?= 10
MUTANTS ?= all
SEED ?= 0
COMMIT ?= HEAD
CORPUS ?= v1
export K8S_VERSION

##@ Start here

.PHONY: demo
demo: ## Show the operator on a real control plane (KEEP=1 leaves it running; KEEP=1 UI=1 then serves its rules and copies to a browser; CLUSTERS=2 shows two clusters instead).
	@echo "[1/2] Compiling the manager and the demo: two minutes on two cores the first time, a moment afterwards."
	@$(MAKE) --silent build
	@$(BUILD) -o bin/demo ./test/demo
	@echo "[2/2] The demo takes ten seconds, and about five minutes more where its control plane has to be built."
	@KEEP=$(KEEP) CLUSTERS=$(CLUSTERS) bin/demo bin/manager
	@[ -z "$(KEEP)" ] || [ -z "$(UI)" ] || { $(MAKE) --silent build-plugin && KUBECONFIG=$$(bin/demo kubeconfig) bin/kubectl-projection ui; }

.PHONY: demo-stop
demo-stop: ## Stop a demo that was left running.
	@$(BUILD) -o bin/demo ./test/demo
	@bin/demo stop

.PHONY: test
test: ## Run every test with the race detector (K8S_VERSION=1.32, PACKAGES=./mutations/..., TESTFLAGS='-run Name').
	@KUBEBUILDER_ASSETS=$$(test/controlplane/build.sh); export KUBEBUILDER_ASSETS; \
	of=$$($(TESTED) $(PACKAGES) | wc -l); \
	echo "Testing $$of packages with the race detector against $$KUBEBUILDER_ASSETS"; \
	echo "The first run takes about half an hour on two cores, since it compiles them; later, only what has changed is tested."; \
	go test -race -p $(AT_ONCE) -timeout 45m $(if $(filter ./...,$(PACKAGES)),$(FIRST)) $(PACKAGES) $(TESTFLAGS) | { n=0; while IFS= read -r line; do case $$line in \
	  *'[no test files]') ;; \
	  ok[[:blank:]]*|FAIL[[:blank:]]*) n=$$((n + 1)); echo "$$line ($$n of $$of)" ;; \
	  *) echo "$$line" ;; \
	esac; done; }; \
	[ "$(PACKAGES)" != ./... ] || for m in $(NESTED); do \
	  echo "Testing the module $$m"; go -C "$$m" test -race -timeout 30m ./... $(TESTFLAGS); \
	done

.PHONY: mutants
mutants: ## Change one line of the operator at a time, and show that a test fails (MUTANTS=quick, MUTANTS=fence).
	@KUBEBUILDER_ASSETS=$$(test/controlplane/build.sh); export KUBEBUILDER_ASSETS; \
	$(BUILD) -o bin/mutants ./test/mutants; $(ALIKE) bin/mutants $(MUTANTS)

.PHONY: test-e2e
test-e2e: ## Install the chart with helm and run the users' stories with kubectl: a minute, and a part of make test.
	@$(MAKE) test PACKAGES=./test/e2e TESTFLAGS='-count=1 -v $(TESTFLAGS)'

.PHONY: test-browser
test-browser: ## Show the pages of the plugin in Chromium, and keep pictures in dist/screenshots: needs chromium, a package of Debian.
	@command -v "$${CHROMIUM:-chromium}" > /dev/null || { echo "There is no chromium: apt-get install chromium, or set CHROMIUM" >&2; exit 1; }
	@KUBEBUILDER_ASSETS=$$(test/controlplane/build.sh); export KUBEBUILDER_ASSETS; \
	go -C $(BROWSER) test -count=1 -timeout 20m ./... $(TESTFLAGS)

.PHONY: record-corpus
record-corpus: ## Record what the operator of a commit leaves in a cluster, to be committed (CORPUS=v2 COMMIT=HEAD).
	@former=$$(test/upgrade/former.sh "$(COMMIT)"); \
	go run ./test/upgrade/record -manager "$$former/manager" -crds "$$former/crds" -commit "$$(basename "$$former")" -version $(CORPUS)

.PHONY: test-downgrade
test-downgrade: build ## Run this version, the recorded version, and this version again on one cluster: needs the git history.
	@former=$$(test/upgrade/former.sh "$$(cat test/upgrade/testdata/$(CORPUS)/COMMIT)"); \
	go run ./test/upgrade/downgrade -manager bin/manager -former "$$former/manager" -version $(CORPUS)

.PHONY: fuzz
fuzz: ## Send hostile input to one fuzz target (FUZZ=FuzzRender PACKAGES=./components/destination FUZZTIME=60s).
	@KUBEBUILDER_ASSETS=$$(test/controlplane/build.sh); export KUBEBUILDER_ASSETS; \
	go test -run '^$$' -fuzz '^$(FUZZ)$$' -fuzztime $(FUZZTIME) $(PACKAGES)

##@ Develop

.PHONY: build
build: ## Build bin/manager.
	$(BUILD) -ldflags "-X main.version=$(VERSION)" -o bin/manager ./cmd/manager

.PHONY: build-plugin
build-plugin: ## Build bin/kubectl-projection, the plugin of kubectl.
	$(BUILD) -ldflags "-X main.version=$(VERSION)" -o "$(PLUGIN)" ./cmd/kubectl-projection

.PHONY: install-plugin
install-plugin: build-plugin ## Install the plugin of kubectl, with its completion, into a directory of the PATH (BINDIR=~/.local/bin).
	install -d "$(BINDIR)"
	install -m 755 bin/kubectl-projection cmd/kubectl-projection/kubectl_complete-projection "$(BINDIR)"

.PHONY: generate
generate: $(CONTROLLER_GEN) $(KUSTOMIZE) ## Regenerate deep copies, CRDs, the manager's role, install.yaml, the references, the list of the Go API, and the diagram of packages.
	$(CONTROLLER_GEN) object paths=./api/...
	cd test/consumer && ../../$(CONTROLLER_GEN) object crd paths=./api/... output:crd:dir=crd
	rm -rf bin/crd && $(CONTROLLER_GEN) crd paths=./api/... output:crd:dir=bin/crd
	mkdir -p config/crd/bases && rm -f config/crd/bases/*.yaml && mv bin/crd/*.yaml config/crd/bases/
	mkdir -p $(CHART)/files/crds && rm -f $(CHART)/files/crds/*.yaml && cp config/crd/bases/*.yaml $(CHART)/files/crds/
	mkdir -p $(CHART)/files/policies && cp $$(ls deploy/policies/*.yaml | grep -v kustomization) $(CHART)/files/policies/
	$(CONTROLLER_GEN) rbac:roleName=manager-role paths=./components/... paths=./cmd/... output:rbac:dir=config/rbac
	sed -n '1,/^spec:/p' config/prometheus/rule.yaml > bin/rule.yaml
	sed 's/^./  &/' $(CHART)/files/alerts.yaml >> bin/rule.yaml && mv bin/rule.yaml config/prometheus/rule.yaml
	$(KUSTOMIZE) build config/default > bin/install.yaml && mv bin/install.yaml deploy/install.yaml
	$(ALIKE) go run ./test/olm/write . deploy/olm
	$(ALIKE) go run ./test/apidoc config/crd/bases > bin/api.md && mv bin/api.md docs/reference/api.md
	$(ALIKE) go run ./test/namedoc api/v1 > bin/names.md && mv bin/names.md docs/reference/names.md
	$(ALIKE) go run ./test/importgraph CONTRIBUTING.md
	$(ALIKE) go run ./test/goapi . test/goapi/export

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the code and order its imports.
	$(GOLANGCI_LINT) fmt

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run go vet and the pinned linters.
	$(ALIKE) go vet ./...
	$(ALIKE) $(GOLANGCI_LINT) run
	for m in $(NESTED) $(BROWSER); do (cd "$$m" && $(ALIKE) go vet ./... && $(ALIKE) $(CURDIR)/$(GOLANGCI_LINT) run --disable gomoddirectives); done

.PHONY: tidy
tidy: ## Tidy the go.mod of every module.
	for m in $$(git ls-files '*.mod'); do (cd "$$(dirname "$$m")" && go mod tidy -modfile="$$(basename "$$m")"); done

##@ Check

.PHONY: verify
verify: verify-generated verify-chart verify-workflows verify-modules verify-format verify-layering lint ## Check everything that needs no control plane: generated files, chart, workflows, modules, format, imports, lint.

.PHONY: verify-generated
verify-generated: generate
	@git diff HEAD --exit-code -- $(GENERATED) || { echo "Generated files differ from what is committed: commit what make generate wrote." >&2; exit 1; }
	@untracked=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
	[ -z "$$untracked" ] || { printf 'Not committed:\n%s\n' "$$untracked" >&2; exit 1; }

.PHONY: verify-chart
verify-chart: $(HELM)
	$(HELM) lint --strict $(CHART)

.PHONY: verify-workflows
verify-workflows: $(ACTIONLINT)
	$(ACTIONLINT) -shellcheck= -pyflakes=

.PHONY: verify-modules
verify-modules:
	@for m in $$(git ls-files '*.mod'); do \
	  (cd "$$(dirname "$$m")" && go mod tidy -diff -modfile="$$(basename "$$m")") || { echo "$$m is not tidy: make tidy" >&2; exit 1; }; \
	done

.PHONY: verify-format
verify-format:
	@files=$$(git ls-files -z '*.go' | xargs -0 gofmt -l); \
	[ -z "$$files" ] || { printf 'Not formatted (make fmt):\n%s\n' "$$files" >&2; exit 1; }

.PHONY: verify-layering
verify-layering:
	$(ALIKE) go test ./test/layering

##@ Measure

.PHONY: thorough
thorough: ## Run every case of test/crash, of which make test runs a sample, and more random histories.
	@$(MAKE) test PACKAGES=./test/crash TESTFLAGS='-count=1 -timeout=120m -thorough'
	@$(MAKE) test PACKAGES=./test/property TESTFLAGS='-count=1 -timeout=60m -run=TestHistories -histories=30 -other-histories'
	@$(MAKE) test PACKAGES=./test/clusterhistories TESTFLAGS='-count=1 -timeout=60m -run=TestHistories -histories=30 -steps=200 -other-histories'
	@$(MAKE) test PACKAGES=./test/publication TESTFLAGS='-count=1 -timeout=60m -run=TestHistories -histories=20 -steps=100 -other-histories'

.PHONY: soak
soak: ## Inject random faults and check the guarantees (MINUTES=60, SEED=<n> to reproduce a run).
	@KUBEBUILDER_ASSETS=$$(test/controlplane/build.sh); export KUBEBUILDER_ASSETS; \
	go test -race -timeout 0 ./test/property -run '^TestSoak$$' -count=1 -v -minutes=$(MINUTES) -seed=$(SEED)

.PHONY: bench
bench: build ## Measure latency and cost, and compare them with a minimal client: six minutes (BENCH_ROWS=edit,burst BENCH_OUT=dist/bench.json; BENCH_ROWS=fleet for a thousand other clusters, which takes ten minutes).
	@$(BUILD) -o bin/bench ./test/bench
	@BENCH_OUT=$(BENCH_OUT) bin/bench $(BENCH_FLAGS)
	@$(MAKE) plots

.PHONY: plots
plots: ## Draw the plots of docs/scale.md from what make bench wrote (BENCH_OUT=dist/bench.json PLOTS=docs/images).
	@cd test/bench/plot && $(BUILD) -o ../../../bin/plot .
	@bin/plot $(BENCH_OUT) $(PLOTS)

.PHONY: picture
picture: ## Record make demo, and draw the picture of the README: docs/images/demo.svg.
	@$(BUILD) -o bin/picture ./test/demo/picture
	@bin/picture record make demo

##@ Release

.PHONY: site
site: ## Build the documents as a site with search into dist/site, and check its links: needs mkdocs-material, a package of Debian.
	@command -v mkdocs > /dev/null || { echo "There is no mkdocs: apt-get install mkdocs-material" >&2; exit 1; }
	@rm -rf dist/site-src && mkdir -p dist && echo "module dist // so that the Go files of the site are no packages of the operator" > dist/go.mod
	@$(ALIKE) go run ./test/site collect dist/site-src
	mkdocs build
	@$(ALIKE) go run ./test/site check dist/site
	@echo "The site is in dist/site. Its search needs a server, such as: python3 -m http.server --directory dist/site"

.PHONY: sbom
sbom: build ## Write the manager's SBOM to dist/sbom.cdx.json (CycloneDX).
	@mkdir -p dist
	$(ALIKE) go run ./test/sbom bin/manager $(VERSION) > dist/sbom.cdx.json

.PHONY: vulncheck
vulncheck: bin/govulncheck ## Check the code that the manager calls for known vulnerabilities, in the Go vulnerability database.
	bin/govulncheck ./cmd/manager

##@ Tools

.PHONY: controlplane
controlplane: ## Build the test control plane and print its directory (K8S_VERSION=1.32).
	@test/controlplane/build.sh

bin/%: test/tools/%.mod test/tools/%.sum
	@echo "Building $* from source: a minute or two, once."
	cd test/tools && $(BUILD) -modfile=$*.mod -o ../../$@ "$$(awk '$$1 == "tool" { print $$2 }' $*.mod)"
	@touch $@

.PHONY: clean
clean: ## Remove build outputs; the control plane stays in the user's cache.
	rm -rf bin dist

.PHONY: help
help: ## List the targets.
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile
