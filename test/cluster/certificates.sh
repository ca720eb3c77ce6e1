# Makes the cluster's keys, certificates and kubeconfigs, new each time; sourced by up.sh.
# shellcheck shell=bash disable=SC2154
pki=$STATE/pki
key() { openssl ecparam -name prime256v1 -genkey -noout -out "$pki/$1.key" 2>/dev/null; }
ca() { key "$1"; openssl req -x509 -new -key "$pki/$1.key" -subj "/CN=sandpost-$1" -days 365 -out "$pki/$1.crt"; }
cert() { # cert FILE SUBJECT EXTENSIONS [CA]
  key "$1"
  openssl req -new -key "$pki/$1.key" -subj "$2" | openssl x509 -req -CA "$pki/${4:-ca}.crt" -CAkey "$pki/${4:-ca}.key" \
    -CAcreateserial -days 365 -extfile <(printf '%b' "$3") -out "$pki/$1.crt" 2>/dev/null
}
client=extendedKeyUsage=clientAuth
ca ca; ca front-proxy-ca
cert front-proxy-client /CN=front-proxy-client $client front-proxy-ca
key sa; openssl ec -in "$pki/sa.key" -pubout -out "$pki/sa.pub" 2>/dev/null
cert apiserver /CN=kube-apiserver "extendedKeyUsage=serverAuth\nsubjectAltName=IP:$NODE_IP,IP:127.0.0.1,IP:$API_SERVICE_IP,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
cert kubelet-server "/O=system:nodes/CN=system:node:$NODE" "extendedKeyUsage=serverAuth\nsubjectAltName=IP:$NODE_IP,DNS:$NODE"
cert apiserver-kubelet /O=system:masters/CN=apiserver-kubelet $client
cert admin /O=system:masters/CN=admin $client
cert kubelet "/O=system:nodes/CN=system:node:$NODE" $client
for n in kube-controller-manager kube-scheduler kube-proxy; do cert $n "/CN=system:$n" $client; done

b64() { base64 -w0 <"$1"; }
kubeconfig() { # kubeconfig FILE CERTIFICATE: the keys are inside, so the file can be copied
  (umask 077; cat >"$1") <<K
apiVersion: v1
kind: Config
clusters: [{name: $NAME, cluster: {server: "https://$NODE_IP:6443", certificate-authority-data: $(b64 "$pki/ca.crt")}}]
users: [{name: $2, user: {client-certificate-data: $(b64 "$pki/$2.crt"), client-key-data: $(b64 "$pki/$2.key")}}]
contexts: [{name: $NAME, context: {cluster: $NAME, user: $2}}]
current-context: $NAME
K
}
for n in kubelet kube-controller-manager kube-scheduler kube-proxy; do kubeconfig "$STATE/$n.kubeconfig" $n; done
kubeconfig "$KUBECONFIG_FILE" admin

