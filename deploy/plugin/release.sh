#!/usr/bin/env bash
# Writes an archive of the plugin of kubectl for each platform, and the manifest by which krew installs them, into the directory dist, or
# into DIST.
#   deploy/plugin/release.sh https://github.com/<owner>/<repository> v0.1.0 [<os>/<arch> ...]
set -euo pipefail
repository=$1 tag=$2
shift 2
[ $# -gt 0 ] || set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
dist=${DIST:-dist}
mkdir -p "$dist"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -e "s|REPOSITORY|$repository|" -e "s|TAG|$tag|" deploy/plugin/krew.yaml > "$work/krew.yaml"
for platform in "$@"; do
  os=${platform%/*} arch=${platform#*/} program=kubectl-projection
  [ "$os" != windows ] || program=kubectl-projection.exe
  archive=kubectl-projection_${tag}_${os}_${arch}.tar.gz content=$work/$os-$arch
  mkdir "$content"
  GOOS=$os GOARCH=$arch make --silent build-plugin VERSION="$tag" PLUGIN="$content/$program"
  cp LICENSE cmd/kubectl-projection/kubectl_complete-projection "$content"
  # The same commit makes the same archive.
  tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --directory="$content" . | gzip -n > "$dist/$archive"
  cat >> "$work/krew.yaml" <<END
    - selector: {matchLabels: {os: $os, arch: $arch}}
      uri: $repository/releases/download/$tag/$archive
      sha256: $(sha256sum "$dist/$archive" | cut -d ' ' -f 1)
      bin: $program
END
done
mv "$work/krew.yaml" "$dist/krew.yaml"
