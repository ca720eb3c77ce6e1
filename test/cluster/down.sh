#!/usr/bin/env bash
# Stops the cluster and removes every trace of it: its processes (only those it started, by pid), mounts, network, cgroups and state
# folder. Safe to run twice.
. "$(dirname "$0")/lib.sh"
need_root
[ -e "$STATE/$MARK" ] || { log "nothing to do: no cluster in $STATE"; exit 0; }

# stop NAME...: asks all of them to end, waits, then kills those that remain.
stop() {
  local n end pid _ left
  for n; do ! alive "$STATE/pids/$n" || { read -r pid _ <"$STATE/pids/$n"; kill -TERM "$pid" || true; }; done
  end=$((SECONDS + 2)) # what they hold is thrown away; the API server would wait for its watchers
  while :; do
    left=()
    for n; do ! alive "$STATE/pids/$n" || left+=("$n"); done
    [ ${#left[@]} -gt 0 ] || break
    if [ "$SECONDS" -ge "$end" ]; then
      for n in "${left[@]}"; do read -r pid _ <"$STATE/pids/$n"; kill -KILL "$pid" 2>/dev/null || true; done
      end=$((SECONDS + 5))
    fi
    sleep 0.05
  done
  for n; do rm -f "$STATE/pids/$n"; done
}

# shims: pids of the containerd-shims that belong to this cluster's containerd: those started with its socket as an argument.
shims() {
  local d args
  for d in /proc/[0-9]*; do
    mapfile -d '' -t args 2>/dev/null <"$d/cmdline" || continue
    case ${args[0]:-} in *containerd-shim*) ;; *) continue ;; esac
    case " ${args[*]} " in *" -address $SOCK "*) echo "${d#/proc/}" ;; esac
  done
}
children() { cat "/proc/$1/task/"*/children 2>/dev/null || true; }

if [ -d "$STATE/pids" ]; then
  log "stopping the kubelet and the control plane"
  # The kubelet stops first, or it would start the containers again.
  stop kubelet kube-proxy kube-scheduler kube-controller-manager kube-apiserver etcd
fi
log "stopping the containers"
# Each container is a child of its shim. After all have ended, the shim can stop.
for pid in $(shims); do for child in $(children "$pid"); do kill -KILL "$child" 2>/dev/null || true; done; done
for pid in $(shims); do kill -TERM "$pid" 2>/dev/null || true; done
end=$((SECONDS + 5))
while remaining=$(shims) && [ -n "$remaining" ]; do
  [ "$SECONDS" -lt "$end" ] || { for pid in $remaining; do kill -KILL "$pid" 2>/dev/null || true; done; end=$((SECONDS + 5)); }
  sleep 0.05
done
[ ! -d "$STATE/pids" ] || stop containerd

log "removing mounts, network and files"
end=$((SECONDS + 30))
# Deepest first; a path in mountinfo has its spaces written as \040.
while m=$(awk -v s="$STATE/" 'index($5, s) == 1 {print length($5), $5}' /proc/self/mountinfo | sort -rn | cut -d' ' -f2-) && [ -n "$m" ]; do
  # A mount may disappear meanwhile, together with the shim that created it.
  while read -r path; do umount -l "$(printf '%b' "$path")" 2>/dev/null || true; done <<<"$m"
  [ "$SECONDS" -lt "$end" ] || die "cannot unmount $m"
done
if [ -e "$NETNS" ]; then ip netns delete "$NAME"; fi
ip link delete "$VETH_HOST" 2>/dev/null || true # takes its routes along; often gone with the namespace
# Outside the state folder: what the kubelet and CNI store at fixed locations.
for link in /var/log/containers/*; do
  case $(readlink "$link" || true) in "$STATE"/*) rm -f "$link" ;; esac
done
for f in "/var/lib/cni/results/$NAME"-*-eth0; do
  id=${f#"/var/lib/cni/results/$NAME-"}; id=${id%-eth0}
  rm -f "$f" "/var/lib/cni/results/cni-loopback-$id-lo"
done
for top in /sys/fs/cgroup/kubepods /sys/fs/cgroup/*/kubepods; do
  [ ! -d "$top" ] || find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || true
done
rm -rf --one-file-system "$STATE"
log "down"
