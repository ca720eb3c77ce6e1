#!/usr/bin/env bash
# Starts the cluster and waits until its node is Ready and its DNS answers.
# Prints one line: the path of the kubeconfig. Progress goes to standard error.
# If the cluster is already up, only prints that line.
. "$(dirname "$0")/lib.sh"
. "$HERE/images.sh"
need_root
[ -x "$BIN/hyperkube" ] && [ -e "$(archive_of "$COREDNS_IMAGE")" ] || die "run build.sh first"
[ ${#STATE} -le 70 ] || die "TMPDIR is too long for the path of a socket: $STATE"

components=(etcd containerd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy)
healthy() {
  for n in "${components[@]}"; do alive "$STATE/pids/$n" || return 1; done
  k get --raw /readyz --request-timeout 5s
}
if [ -d "$STATE/pids" ]; then
  if healthy >/dev/null 2>&1; then log "already up"; echo "$KUBECONFIG_FILE"; exit 0; fi
  log "found the remains of an earlier cluster"
fi
if [ -e "$STATE/$MARK" ]; then
  "$HERE/down.sh"
elif [ -n "$(ls -A "$STATE" 2>/dev/null)" ]; then
  die "$STATE is in use by something else"
fi
[ ! -e "$NETNS" ] || die "the network namespace $NAME is in use by something else"

mkdir -p "$STATE"; touch "$STATE/$MARK"
mkdir -p "$STATE"/{pids,log,pki,etcd,cni,pv,kubelet}; chmod 711 "$STATE"; chmod 700 "$STATE/pki" "$STATE/etcd"
trap '[ $? = 0 ] || log "failed; the logs are in $STATE/log, ./down.sh removes what was started"' EXIT

# --- network: one namespace, tied to the machine by one pair of interfaces ----
# The namespace gets no default route and the machine forwards nothing, so no
# packet of the cluster can leave the machine.
log "network"
ip netns add "$NAME"
ip link add "$VETH_HOST" type veth peer name "$VETH_NODE" netns "$NAME"
ip addr add "$HOST_IP/$NODE_NET_BITS" dev "$VETH_HOST"
ip link set "$VETH_HOST" up
ip route add "$POD_NET" via "$NODE_IP" dev "$VETH_HOST"
ip route add "$SERVICE_NET" via "$NODE_IP" dev "$VETH_HOST"
in_node ip link set lo up
in_node ip addr add "$NODE_IP/$NODE_NET_BITS" dev "$VETH_NODE"
in_node ip link set "$VETH_NODE" up
# A connection from the node itself to a Service is routed before kube-proxy rewrites its address, so some route must exist.
in_node ip route add "$SERVICE_NET" dev "$VETH_NODE"
# shellcheck disable=SC2016 # for the inner shell
in_node sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward
  # Pods on one bridge reach each other through a Service only if the bridge shows its packets to iptables.
  f=/proc/sys/net/bridge/bridge-nf-call-iptables; [ ! -e $f ] || echo 1 >$f'

log "certificates and configuration"
. "$HERE/certificates.sh"
. "$HERE/node-config.sh"

# --- the programs -------------------------------------------------------------
# start NAME COMMAND...: runs it in the background; log/NAME.log and pids/NAME.
# nsenter, not "ip netns exec": that one mounts a new /sys over the cgroup
# folders, and the kubelet then finds no cgroups. Has priority over the tests that
# run beside the cluster: a control plane that waits for them loses its leases.
start() {
  local name=$1 pid; shift
  setsid nice -n -5 nsenter --net="$NETNS" -- "$@" </dev/null >"$STATE/log/$name.log" 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  pid=$!
  echo "$pid $(start_time "$pid")" >"$STATE/pids/$name"
}
log "control plane"
hk=$BIN/hyperkube
start containerd containerd -c "$STATE/containerd.toml"
start etcd "$hk" etcd --data-dir "$STATE/etcd" --unsafe-no-fsync --log-level warn \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
  --initial-cluster default=http://127.0.0.1:2380
start kube-apiserver "$hk" kube-apiserver --etcd-servers http://127.0.0.1:2379 \
  --bind-address 0.0.0.0 --advertise-address "$NODE_IP" --secure-port 6443 \
  --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" --client-ca-file "$pki/ca.crt" \
  --kubelet-client-certificate "$pki/apiserver-kubelet.crt" --kubelet-client-key "$pki/apiserver-kubelet.key" \
  --kubelet-certificate-authority "$pki/ca.crt" --kubelet-preferred-address-types InternalIP \
  --service-account-issuer https://kubernetes.default.svc.cluster.local \
  --service-account-key-file "$pki/sa.pub" --service-account-signing-key-file "$pki/sa.key" \
  --requestheader-client-ca-file "$pki/front-proxy-ca.crt" --requestheader-allowed-names front-proxy-client \
  --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group --requestheader-extra-headers-prefix X-Remote-Extra- \
  --proxy-client-cert-file "$pki/front-proxy-client.crt" --proxy-client-key-file "$pki/front-proxy-client.key" \
  --service-cluster-ip-range "$SERVICE_NET" --authorization-mode Node,RBAC \
  --enable-admission-plugins NodeRestriction --allow-privileged

# Images are imported while the control plane starts. CoreDNS needs its image before it can run.
wait_for 30 containerd c version || die "containerd does not answer; see $STATE/log/containerd.log"
for image in "$PAUSE_IMAGE" "$COREDNS_IMAGE"; do load "$(archive_of "$image")" || die "cannot import $image"; done
log "system images are in"
(for image in mongo:6 redis:7; do f=$(archive_of "$(full_name "$image")"); [ ! -e "$f" ] || load "$f" || exit 1; done) >"$STATE/log/images.log" 2>&1 &
images=$!

wait_for "$TIMEOUT" "the API server" k get --raw /readyz || die "see $STATE/log/kube-apiserver.log"
log "API server is ready"
start kube-controller-manager "$hk" kube-controller-manager --kubeconfig "$STATE/kube-controller-manager.kubeconfig" \
  --authentication-kubeconfig "$STATE/kube-controller-manager.kubeconfig" --authorization-kubeconfig "$STATE/kube-controller-manager.kubeconfig" \
  --bind-address 127.0.0.1 --leader-elect=false --use-service-account-credentials --kube-api-qps 200 --kube-api-burst 400 \
  --service-account-private-key-file "$pki/sa.key" --root-ca-file "$pki/ca.crt" \
  --cluster-signing-cert-file "$pki/ca.crt" --cluster-signing-key-file "$pki/ca.key" --flex-volume-plugin-dir "$STATE/kubelet/volume-plugins"
start kube-scheduler "$hk" kube-scheduler --kubeconfig "$STATE/kube-scheduler.kubeconfig" \
  --authentication-kubeconfig "$STATE/kube-scheduler.kubeconfig" --authorization-kubeconfig "$STATE/kube-scheduler.kubeconfig" \
  --bind-address 127.0.0.1 --leader-elect=false --kube-api-qps 200 --kube-api-burst 400
start kubelet "$hk" kubelet --kubeconfig "$STATE/kubelet.kubeconfig" --config "$STATE/kubelet.yaml" \
  --root-dir "$STATE/kubelet" --cert-dir "$STATE/kubelet/pki" --node-ip "$NODE_IP" --hostname-override "$NODE"
start kube-proxy "$hk" kube-proxy --kubeconfig "$STATE/kube-proxy.kubeconfig" --hostname-override "$NODE" \
  --proxy-mode iptables --cluster-cidr "$POD_NET" --conntrack-max-per-core 0

# --- what every cluster has: DNS and a default StorageClass -------------------
sed "s|COREDNS_IMAGE|$COREDNS_IMAGE|" "$HERE/manifests/coredns.yaml" >"$STATE/coredns.yaml"
cp "$HERE/manifests/storage.yaml" "$STATE/storage.yaml"
for i in $(seq -w 1 20); do
  mkdir -p "$STATE/pv/$i"; chmod 777 "$STATE/pv/$i"
  cat >>"$STATE/storage.yaml" <<V
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: local-$i}
spec: {storageClassName: standard, capacity: {storage: 10Gi}, accessModes: [ReadWriteOnce, ReadWriteMany, ReadOnlyMany], persistentVolumeReclaimPolicy: Retain, hostPath: {path: $STATE/pv/$i}}
V
done
k apply -f "$STATE/coredns.yaml" -f "$STATE/storage.yaml" >"$STATE/log/apply.log" 2>&1 || die "see $STATE/log/apply.log"
wait_for "$TIMEOUT" "the node" k wait --for=condition=Ready "node/$NODE" --timeout=1s || die "see $STATE/log/kubelet.log"
log "node is Ready"
# The kubelet gives all pods together as much processor time as two processes per core. More tests run beside the cluster, and an email or
# probe then takes longer than its client waits.
for shares in /sys/fs/cgroup/cpu/kubepods/cpu.shares=8192 /sys/fs/cgroup/kubepods/cpu.weight=400; do
  [ ! -e "${shares%=*}" ] || echo "${shares#*=}" >"${shares%=*}"
done
# The controller manager creates this account. A Pod created before it is refused.
wait_for "$TIMEOUT" "the default service account" k -n default get serviceaccount default || die "see $STATE/log/kube-controller-manager.log"
wait_for "$TIMEOUT" CoreDNS k -n kube-system wait --for=condition=Available deployment/coredns --timeout=1s || die "see kubectl -n kube-system describe pods"
wait_for "$TIMEOUT" DNS busybox nslookup kubernetes.default.svc.cluster.local "$DNS_IP" || die "see kubectl -n kube-system describe pods"
log "DNS answers"
wait "$images" || die "cannot import the images; see $STATE/log/images.log"
log "up"
echo "$KUBECONFIG_FILE"
