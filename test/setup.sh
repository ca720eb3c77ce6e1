#!/usr/bin/env bash
# Installs what the tests use in addition to npm packages: Debian's swaks with its TLS, curl, PHP, redis-server, chromium, the
# spam filters spamd and rspamd, Sisimai, which reads bounces, Lua, and the files of Postfix, Exim and an image registry;
# Schemathesis, official email provider clients, Django, flufl.bounce, pytest, JUnit, Angus Mail and a Mailpit client for Java
# from their registries; and, given root and Go, everything that makes up a Kubernetes cluster. Tests without their tool say so
# and are skipped. After this script, none is.
set -euo pipefail

packages=()
for package in swaks libnet-ssleay-perl curl redis-server chromium gnupg python3-venv php-cli maven spamd rspamd libsisimai-perl lua5.1; do
  dpkg -s "$package" >/dev/null 2>&1 || packages+=("$package")
done
if [ ${#packages[@]} -gt 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  # The tests start their own servers: none may start by itself.
  RUNLEVEL=1 apt-get install -y -q --no-install-recommends "${packages[@]}"
  # SpamAssassin's installation imports a key and leaves a GnuPG agent running for it.
  gpgconf --homedir /var/lib/spamassassin/sa-update-keys --kill gpg-agent || true
fi
# Renders pages in half the processor time. If it is unavailable, tests use the full browser.
dpkg -s chromium-headless-shell >/dev/null 2>&1 ||
  apt-get install -y -q --no-install-recommends chromium-headless-shell || true

cache=${XDG_CACHE_HOME:-$HOME/.cache}/sandpost
# Mail servers are only unpacked. The tests start them with separate queues and settings.
unpack() {
  if [ -d "$cache/packages/$1" ]; then return; fi
  work=$(mktemp -d)
  (cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$@" && for package in *.deb; do dpkg -x "$package" files; done)
  mkdir -p "$cache/packages"
  mv "$work/files" "$cache/packages/$1"
  rm -r "$work"
}
unpack postfix
unpack exim4-daemon-light libidn12
unpack docker-registry
# Debian's Exim does not start without its user.
getent passwd Debian-exim >/dev/null || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin Debian-exim
venv=$cache/schemathesis
if ! "$venv/bin/schemathesis" --version >/dev/null 2>&1; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q schemathesis==4.32.5
fi

# Official clients for email providers and the Model Context Protocol, clients for Mailpit, and framework mailers.
npm ci --prefix "$(dirname "$0")/tools/providers/clients" --ignore-scripts --no-audit --no-fund
npm ci --prefix "$(dirname "$0")/tools/mcp/clients" --ignore-scripts --no-audit --no-fund
npm ci --prefix "$(dirname "$0")/tools/mailpit/clients" --ignore-scripts --no-audit --no-fund
# Test runners that the JavaScript client has entry points for. They include no browser.
npm ci --prefix "$(dirname "$0")/tools/clients/runners" --ignore-scripts --no-audit --no-fund
clients=$cache/python-clients
wanted="$(dirname "$0")/support/clients/python-clients.txt"
if ! cmp -s "$wanted" "$clients/installed.txt"; then
  python3 -m venv "$clients"
  "$clients/bin/pip" install -q -r "$wanted"
  cp "$wanted" "$clients/installed.txt"
fi
for java in journeys/angus-mail clients/junit mailpit/quarkus-mailpit; do
  name=${java##*/}
  [ -d "$cache/$name" ] && continue
  mvn -q -B -f "$(dirname "$0")/tools/$java/pom.xml" dependency:copy-dependencies -Dmdep.stripVersion \
    -DoutputDirectory="$cache/$name.new"
  mv "$cache/$name.new" "$cache/$name"
done

# Folder where Go's own archive installs it, which is not on every PATH.
command -v go >/dev/null || export PATH="$PATH:/usr/local/go/bin"
# Reads, checks and copies registry images.
if [ ! -e "$cache/crane-0.20.7" ] && command -v go >/dev/null; then
  work=$(mktemp -d)
  GOBIN=$work CGO_ENABLED=0 go install -trimpath github.com/google/go-containerregistry/cmd/crane@v0.20.7
  mv "$work/crane" "$cache/crane-0.20.7"
  rm -r "$work"
fi
# Real Kubernetes, if it can be built: about 15 minutes the first time, on two cores.
if [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ] && [ -e /etc/debian_version ] && command -v go >/dev/null; then
  nice "$(dirname "$0")/cluster/build.sh"
  nice "$(dirname "$0")/cluster/base-images.sh"
fi
