# What the scripts that build or import images share; sourced after lib.sh.
# shellcheck shell=bash disable=SC2034 # used by the scripts that source it

# b: buildah with its own store, which leaves the machine's other images alone.
b() {
  local driver=overlay
  mkdir -p "$CACHE/etc" "$CACHE/storage"
  if fs_is_overlay "$CACHE"; then driver=vfs; fi
  # "FROM node:24-slim" must mean the local docker.io/library/node:24-slim.
  printf 'unqualified-search-registries = ["docker.io"]\nshort-name-mode = "disabled"\n' >"$CACHE/etc/registries.conf"
  CONTAINERS_REGISTRIES_CONF=$CACHE/etc/registries.conf BUILDAH_ISOLATION=chroot \
    buildah --root "$CACHE/storage" --runroot "/run/$NAME-buildah" --storage-driver "$driver" "$@"
}

# build ARGUMENTS: builds an image, with the output in $tmp/log. Now and then, buildah cannot seal the copy of itself that it runs: then
# once more.
build() {
  local args=(bud --quiet --pull-never --network host --format docker "${CLIENT_CONFIG[@]}" "$@")
  b "${args[@]}" >"$tmp/log" 2>&1 || { grep -q 'sealing memfd copy' "$tmp/log" && b "${args[@]}" >"$tmp/log" 2>&1; }
}

full_name() { # full image name: the one the cluster uses
  case $1 in
    */*/*|*.*/*|localhost/*) echo "$1" ;;
    */*) echo "docker.io/$1" ;;
    *) echo "docker.io/library/$1" ;;
  esac
}

# archive_of IMAGE: the cache file that contains it.
archive_of() { printf '%s/%s.tar\n' "$IMAGES" "$(printf %s "${1#docker.io/}" | tr '/:' '__')"; }

# save IMAGE: writes the built image to its file, completely or not at all.
save() {
  local file; file=$(archive_of "$1"); mkdir -p "$IMAGES"
  rm -f "$file.part"
  b push --quiet "$1" "docker-archive:$file.part:$1"
  mv "$file.part" "$file"
}

# load FILE: imports an image file into the running cluster.
load() { c images import --snapshotter "$(cat "$STATE/snapshotter")" "$1" >/dev/null; }

# client_config DIR: fills CLIENT_CONFIG with the buildah arguments that lend this machine's npm, pip, apt and proxy settings to a build's
# RUN steps, read-only. They are mounted, not copied: none of it is in the image afterward.
client_config() {
  local dir=$1 ca='' v
  CLIENT_CONFIG=()
  npm config get registry proxy https-proxy noproxy strict-ssl replace-registry-host cafile 2>/dev/null |
    grep -vE '=(null|undefined|)$' >"$dir/npm.all" || true
  ca=$(sed -n 's/^cafile=//p' "$dir/npm.all"); ca=${ca:-${NODE_EXTRA_CA_CERTS:-${SSL_CERT_FILE:-}}}
  grep -v ^cafile= "$dir/npm.all" >"$dir/npmrc" || true
  if [ -e "$ca" ]; then
    # Mounted beside the image's own certificates, so a build may still install those.
    install -m 644 "$ca" "$dir/ca.crt"; CLIENT_CONFIG+=(-v "$dir/ca.crt:/run/sandpost-ca.crt:ro")
    echo "cafile=/run/sandpost-ca.crt" >>"$dir/npmrc"
  fi
  CLIENT_CONFIG+=(-v "$dir/npmrc:/usr/local/etc/npmrc:ro")
  if v=$(python3 -m pip config list 2>/dev/null); then
    { echo '[global]'
      sed -nE "s/^(global|:env:)\.(index-url|extra-index-url|trusted-host|proxy)='(.*)'$/\2 = \3/p" <<<"$v"
      [ ! -e "$dir/ca.crt" ] || echo "cert = /run/sandpost-ca.crt"; } >"$dir/pip.conf"
    CLIENT_CONFIG+=(-v "$dir/pip.conf:/etc/pip.conf:ro")
  fi
  apt-config dump | grep -E '^Acquire::(Check-|https?::Proxy|https::CaInfo)' >"$dir/apt.conf" || true
  CLIENT_CONFIG+=(-v "$dir/apt.conf:/etc/apt/apt.conf.d/99sandpost:ro")
  for v in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    [ -z "${!v:-}" ] || CLIENT_CONFIG+=(--build-arg "$v=${!v}")
  done
}
