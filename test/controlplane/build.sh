#!/usr/bin/env bash
# Prints a directory that contains the programs of a control plane (a value for KUBEBUILDER_ASSETS): those that are given as
# arguments, or etcd, kube-apiserver, kubectl and kube-controller-manager. A program that exists in a matching version is
# used; a missing one is built from its Go module, once. Progress is printed to standard error. Places, in this order:
#
#   KUBEBUILDER_ASSETS   a directory of programs of any version. If it lacks one, the others have to be of the version below.
#   CONTROLPLANE_CACHE   programs built by this script before; default: the user's cache directory
#   PATH                 programs of the same minor version; etcd of the minor version that is pinned here
#   setup-envtest        its store, where "setup-envtest use 1.36" puts programs of that version. It has no kube-controller-manager.
#
#   K8S_VERSION          1.36 (default) or 1.32
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

programs=("$@")
[ $# -gt 0 ] || programs=(etcd kube-apiserver kubectl kube-controller-manager)
given=${KUBEBUILDER_ASSETS:-}

complain() {
  echo "$*" >&2
  exit 2
}

# all <directory>: whether it holds every program.
all() {
  local program
  for program in "${programs[@]}"; do [ -x "$1/$program" ] || return 1; done
}

if [ -n "$given" ] && all "$given"; then
  echo "$given"
  exit
fi

minor=${K8S_VERSION:-1.36}
case $minor in
  1.36) modfile=go.mod ;;
  1.32) modfile=k8s-1.32.mod ;;
  *) complain "K8S_VERSION=$minor is not pinned here; set it to 1.36 or 1.32." ;;
esac

version=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' "$modfile")
platform=$(go env GOOS)-$(go env GOARCH)
major=${version#v} patch=${version#v*.}
stamp=k8s.io/component-base/version
flags=(-trimpath -ldflags "-s -w -X $stamp.gitVersion=$version -X $stamp.gitMajor=${major%%.*} -X $stamp.gitMinor=${patch%%.*} -X $stamp.gitTreeState=clean")
cache=${CONTROLPLANE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/projection-controlplane}
built=$cache/$version-$platform-$({ cat "$modfile"; echo "${flags[@]}"; } | cksum | cut -d' ' -f1)

# fits <program> <path>: whether the program reports the wanted minor version.
fits() {
  local says wanted=" v${minor//./\\.}\\."
  case $1 in
    etcd)
      wanted=" $(awk '$1 == "go.etcd.io/etcd/server/v3" && NF > 1 { sub("^v", "", $2); sub("[.][0-9]+$", "", $2); print $2 }' "$modfile")\\."
      says=$("$2" --version 2>/dev/null) ;;
    kubectl) says=$("$2" version --client 2>/dev/null) ;;
    *) says=$("$2" --version 2>/dev/null) ;;
  esac
  [[ ${says%%$'\n'*} =~ $wanted ]]
}

# stores prints the folders of the matching versions in setup-envtest's store, the newest first.
stores() {
  local store=${XDG_DATA_HOME:-$HOME/.local/share}/kubebuilder-envtest
  [ "$(go env GOOS)" != darwin ] || store="$HOME/Library/Application Support/io.kubebuilder.envtest"
  printf '%s\n' "$store/k8s/$minor".*-"$platform" | sort -rV
}

# look_up <program>: prints its path.
look_up() {
  local path store
  if [ -x "$given/$1" ]; then
    fits "$1" "$given/$1" || complain "KUBEBUILDER_ASSETS=$given lacks some of: ${programs[*]}. Its $1 is not of version $minor," \
      "which is the one that the others would be built for: add them, unset KUBEBUILDER_ASSETS, or set K8S_VERSION."
    echo "$given/$1"
    return
  fi
  if [ -x "$built/$1" ]; then
    echo "$built/$1"
    return
  fi
  if path=$(type -P "$1") && fits "$1" "$path"; then
    echo "$path"
    return
  fi
  while read -r store; do
    if [ -x "$store/$1" ] && fits "$1" "$store/$1"; then
      echo "$store/$1"
      return
    fi
  done < <(stores)
}

found=() missing=()
for program in "${programs[@]}"; do
  path=$(look_up "$program")
  if [ -z "$path" ]; then
    path=$built/$program
    missing+=("$program")
  fi
  found+=("$path")
done

package() {
  case $1 in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    *) echo "k8s.io/kubernetes/cmd/$1" ;;
  esac
}

# duration <program>: how long it takes to compile after those before it, on two idle cores.
duration() {
  case $1 in
    etcd | kube-controller-manager) echo "a minute" ;;
    kube-apiserver) echo "three minutes" ;;
    *) echo "half a minute" ;;
  esac
}

if [ ${#missing[@]} -gt 0 ]; then
  mkdir -p "$built"
  staging=$(mktemp -d "$built/.building.XXXXXX")
  trap 'rm -rf "$staging"' EXIT
  echo "Building ${#missing[@]} programs of a Kubernetes $version control plane from source, which is done once:" >&2
  step=0
  for program in "${missing[@]}"; do
    step=$((step + 1)) began=$SECONDS
    echo "  [$step/${#missing[@]}] $program: about $(duration "$program") on two cores ..." >&2
    CGO_ENABLED=0 go build -modfile="$modfile" "${flags[@]}" -o "$staging/$program" "$(package "$program")" >&2
    mv "$staging/$program" "$built/$program" # atomic: nobody runs half a program
    echo "        done after $((SECONDS - began)) s" >&2
  done
fi

directory=${found[0]%/*}
for path in "${found[@]}"; do [ "${path%/*}" = "$directory" ] || directory=; done
if [ -n "$directory" ]; then
  [ "$directory" = "$built" ] || echo "Using the control plane in $directory." >&2
  echo "$directory"
  exit
fi

# Programs from several directories become links in one directory, whose name is derived from their paths.
mixed=$cache/links-$(printf '%s\n' "${found[@]}" | cksum | cut -d' ' -f1)
mkdir -p "$mixed"
for path in "${found[@]}"; do
  [ "${path%/*}" = "$built" ] || echo "Using $path." >&2
  [ "$(readlink "$mixed/${path##*/}")" = "$path" ] || ln -sfn "$path" "$mixed/${path##*/}"
done
echo "$mixed"
