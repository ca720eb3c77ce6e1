#!/usr/bin/env bash
# Builds an image from a Dockerfile and imports it into the running cluster.
#   ./image.sh NAME DOCKERFILE CONTEXT [more "buildah bud" arguments]
# Use NAME unchanged in a Pod, with a tag other than "latest" (which Kubernetes
# always wants to pull) and imagePullPolicy IfNotPresent or Never.
# If no cluster is up, the image only goes into the cache. Prints one line: the image's id.
. "$(dirname "$0")/lib.sh"
. "$HERE/images.sh"
need_root
[ $# -ge 3 ] || die "usage: image.sh NAME DOCKERFILE CONTEXT [buildah bud arguments]"
short=$1 name=$(full_name "$1") dockerfile=$2 context=$3; shift 3
case ${name##*/} in *:*) ;; *) die "give the image a tag, such as $short:dev" ;; esac

tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
client_config "$tmp"
log "building $name"
build --layers -f "$dockerfile" -t "$name" "$@" "$context" || { cat "$tmp/log" >&2; die "the build failed"; }
save "$name"
if [ -S "$SOCK" ]; then load "$(archive_of "$name")"; log "imported $name"; else log "built $name (no cluster is up)"; fi
b images --noheading --no-trunc --format '{{.ID}}' "$name"
