#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kube-controller-manager and kubectl from their Go modules, once per version,
# and prints the directory that holds them (what KUBEBUILDER_ASSETS wants). Progress goes to standard error.
#
#   K8S_VERSION          1.36 (default) or 1.32
#   CONTROLPLANE_CACHE   where the programs are kept; default: the user's cache directory
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

modfile=go.mod
case "${K8S_VERSION:-1.36}" in
  1.36) ;;
  1.32) modfile=k8s-1.32.mod ;;
  *) echo "K8S_VERSION=${K8S_VERSION} is not pinned here; set it to 1.36 or 1.32." >&2; exit 2 ;;
esac

version=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' "$modfile")
pins=$(cat "$modfile" build.sh | cksum | cut -d' ' -f1)
assets=${CONTROLPLANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/projection-controlplane}/$version-$(go env GOOS)-$(go env GOARCH)-$pins
if [ -d "$assets" ]; then
  echo "$assets"
  exit
fi

staging=$assets.tmp.$$
trap 'rm -rf "$staging"' EXIT
mkdir -p "$staging"
major=${version#v} minor=${version#v*.}
stamp=k8s.io/component-base/version
ldflags="-s -w -X $stamp.gitVersion=$version -X $stamp.gitMajor=${major%%.*} -X $stamp.gitMinor=${minor%%.*} -X $stamp.gitTreeState=clean"

echo "Building a Kubernetes $version control plane from source. No prebuilt programs are used, so the first" >&2
echo "time compiles all of Kubernetes (about seven minutes on two cores); after that it is reused." >&2
step=0
for program in etcd=go.etcd.io/etcd/server/v3 kube-apiserver=k8s.io/kubernetes/cmd/kube-apiserver \
  kube-controller-manager=k8s.io/kubernetes/cmd/kube-controller-manager kubectl=k8s.io/kubernetes/cmd/kubectl; do
  step=$((step + 1))
  echo "  [$step/4] ${program%%=*} ..." >&2
  began=$SECONDS
  CGO_ENABLED=0 go build -modfile="$modfile" -trimpath -ldflags "$ldflags" -o "$staging/${program%%=*}" "${program#*=}" >&2
  echo "        done after $((SECONDS - began)) s" >&2
done

# The move is atomic. Of two builds at once the later one would move into the earlier one's directory.
mv "$staging" "$assets"
rm -rf "${assets:?}/${staging##*/}"
echo "$assets"
