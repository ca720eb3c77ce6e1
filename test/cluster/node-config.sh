# Writes the configuration files of containerd, CNI and the kubelet; sourced by up.sh.
# shellcheck shell=bash disable=SC2154
snapshotter=overlayfs
if fs_is_overlay "$STATE"; then snapshotter=native; fi
echo "$snapshotter" >"$STATE/snapshotter"
cat >"$STATE/cni/10-bridge.conflist" <<C
{"cniVersion": "0.4.0", "name": "$NAME", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$POD_NET"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": "$STATE/cni-ipam"}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
C
# Every path that containerd would take from its own defaults is in the state folder, so it shares nothing with another containerd.
cat >"$STATE/containerd.toml" <<C
version = 2
root = "$STATE/containerd"
state = "$STATE/containerd-run"
oom_score = 0
[grpc]
  address = "$SOCK"
[plugins."io.containerd.internal.v1.opt"]
  path = "$STATE/containerd-opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  # Without CAP_SYS_RESOURCE, no process may have a lower OOM score than its parent.
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  # As in Docker: a program may listen on port 25 without being root.
  enable_unprivileged_ports = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$STATE/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "$snapshotter"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        Root = "$STATE/runc"
C
cat >"$STATE/kubelet.yaml" <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $pki/kubelet-server.crt
tlsPrivateKeyFile: $pki/kubelet-server.key
containerRuntimeEndpoint: unix://$SOCK
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
clusterDNS: [$DNS_IP]
clusterDomain: cluster.local
resolvConf: ""
podLogsDir: $STATE/pod-logs
volumePluginDir: $STATE/kubelet/volume-plugins
syncFrequency: 5s
nodeStatusUpdateFrequency: 5s
imageMinimumGCAge: 24h
imageGCHighThresholdPercent: 100
serializeImagePulls: false
evictionHard: {memory.available: "100Mi", nodefs.available: "0%", imagefs.available: "0%", nodefs.inodesFree: "0%"}
C

