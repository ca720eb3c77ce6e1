#!/usr/bin/env bash
# Adds DNS records to the cluster, for tests that need MX, SPF, DKIM, DMARC or
# PTR records. Waits until the cluster's DNS serves them.
#   ./dns.sh set ZONE <records   replaces the zone; records as in a zone file,
#                                without SOA and NS (these are added)
#   ./dns.sh rm ZONE
# Example:
#   printf '%s\n' '@ MX 10 mail' 'mail A 10.250.0.1' '@ TXT "v=spf1 -all"' | ./dns.sh set acme.test
. "$(dirname "$0")/lib.sh"
verb=${1:-} zone=${2:-}; zone=${zone%.}
[[ $verb =~ ^(set|rm)$ && $zone =~ ^[A-Za-z0-9._-]+$ ]] || die "usage: dns.sh set ZONE <records | dns.sh rm ZONE"
serial=$(date +%s)
patch=$(mktemp); trap 'rm -f "$patch"' EXIT
if [ "$verb" = set ]; then
  # CoreDNS loads a changed zone only if the serial in its SOA has changed.
  old=$(k -n kube-system get configmap test-zones -o "jsonpath={.data['${zone//./\\.}\.zone']}" | awk '/ SOA /{print $6; exit}')
  [ "${old:-0}" -lt "$serial" ] || serial=$((old + 1))
  printf 'data:\n  %s.zone: |\n' "$zone" >"$patch"
  # shellcheck disable=SC2016 # a zone file's own variables
  { printf '$ORIGIN %s.\n$TTL 1\n@ IN SOA ns hostmaster %s 3600 600 86400 1\n@ IN NS ns\nns IN A %s\n' "$zone" "$serial" "$DNS_IP"; cat; } | sed 's/^/    /' >>"$patch"
else
  printf 'data:\n  %s.zone: null\n' "$zone" >"$patch"
fi
k -n kube-system patch configmap test-zones --type merge --patch-file "$patch" >/dev/null
# The kubelet checks a pod's ConfigMaps only from time to time, but immediately when the pod itself changes.
poke() { k -n kube-system annotate pod -l k8s-app=kube-dns "sandpost/zones=$serial.$SECONDS" --overwrite >/dev/null; }
served() {
  local soa; soa=$(busybox nslookup -type=soa "$zone" "$DNS_IP" 2>&1 || true)
  if [ "$verb" = set ]; then grep -q "serial = $serial" <<<"$soa"; else ! grep -q 'serial =' <<<"$soa"; fi || { poke; return 1; }
}
poke
wait_for 30 "the zone $zone (see kubectl -n kube-system logs deploy/coredns)" served
log "$zone: $verb"
