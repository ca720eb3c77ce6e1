#!/usr/bin/env bash
# Installs what the tests use beside npm's packages: Debian's swaks with its TLS, curl, redis-server and chromium, Schemathesis
# from PyPI, and, given root and Go, all that a Kubernetes cluster is made of.
# Tests whose tool is missing say so and are skipped; with this run first, none is.
set -euo pipefail

packages=()
for package in swaks libnet-ssleay-perl curl redis-server chromium python3-venv; do
  dpkg -s "$package" >/dev/null 2>&1 || packages+=("$package")
done
if [ ${#packages[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  # The tests start their own servers: nothing is to run by itself.
  RUNLEVEL=1 apt-get install -y -q --no-install-recommends "${packages[@]}"
fi

venv=${XDG_CACHE_HOME:-$HOME/.cache}/sandpost/schemathesis
if ! "$venv/bin/schemathesis" --version >/dev/null 2>&1; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q schemathesis==4.32.5
fi

# Folder of Go's own archive, which is not on every PATH.
command -v go >/dev/null || export PATH="$PATH:/usr/local/go/bin"
# A real Kubernetes, where one can be built: about 15 minutes the first time, on two cores.
if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ] && [ -e /etc/debian_version ] && command -v go >/dev/null; then
  nice "$(dirname "$0")/cluster/build.sh"
  nice "$(dirname "$0")/cluster/base-images.sh"
fi
