#!/usr/bin/env bash
# Builds the manager of a commit into bin/former, beside its CRDs, and prints that directory.
# It needs the history: a shallow clone may not have the commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

commit=$(git rev-parse --verify --quiet "$1^{commit}") || {
  echo "$1 is not in the history of this clone: git fetch --unshallow" >&2
  exit 1
}
into=$PWD/bin/former/$commit
if [ ! -x "$into/manager" ]; then
  echo "Building the manager of $commit: a minute or two, once." >&2
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  git archive "$commit" | tar -x -C "$tree"
  rm -rf "$into" && mkdir -p "$into"
  cp -r "$tree/config/crd/bases" "$into/crds"
  CGO_ENABLED=0 go build -C "$tree" -trimpath -buildvcs=false -o "$into/manager" ./cmd/manager >&2
fi
echo "$into"
