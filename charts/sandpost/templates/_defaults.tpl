{{/*
Values that releases after 0.1.0 have added, with the defaults of values.yaml. `helm upgrade --reuse-values` replaces values.yaml by that of
the release before, which lacks them. Every template begins with this. A test in test/long/chart renders the values of 0.1.0.
*/}}
{{- define "sandpost.defaults" -}}
{{- $defaults := fromYaml `
bootstrap: {capture: ""}
commonAnnotations: {}
containerSecurityContext: {}
embedded:
  storage: 10Gi
  storageClassName: ""
  resources:
    requests: {cpu: 100m, memory: 384Mi, ephemeral-storage: 32Mi}
    limits: {memory: 1Gi, ephemeral-storage: 256Mi}
  env: []
  podAnnotations: {}
  podLabels: {}
  nodeSelector: {}
  tolerations: []
  affinity: {}
  priorityClassName: ""
extraContainers: []
extraObjects: []
ipFamilies: []
ipFamilyPolicy: ""
jobs: {podLabels: {}}
maxWaits: 100
monitoring: {podMonitor: {enabled: false, interval: 30s, labels: {}}}
networkPolicy: {extraEgressPorts: [], extraIngressPorts: []}
operator:
  attributeSenders: false
  domainPolicy: []
  namespaceSelector: ""
  previews: {selector: "", domain: ""}
  serviceAccount: {create: true, name: "", annotations: {}}
  watchSecrets: true
otlpUrl: ""
outbound: ""
outboundNetworks: []
podSecurityContext: {}
revisionHistoryLimit: 10
serviceAccount: {create: true, name: "", annotations: {}}
smtp: {tls: {certificate: {enabled: false, issuerRef: {}}}}
spamUrl: ""
store: cluster
tcpRoute: {enabled: false, parentRefs: []}
tlsRoute: {enabled: false, parentRefs: []}
` }}
{{- include "sandpost.fill" (list .Values $defaults) }}
{{- if eq .Values.store "embedded" }}
{{- $_ := set .Values.mongodb.bundled "enabled" false }}
{{- $_ := set .Values.redis.bundled "enabled" false }}
{{- end }}
{{- end }}

{{/* Sets what a map lacks of another one: (list map other). Sprig's merge would also replace false, 0 and "". */}}
{{- define "sandpost.fill" -}}
{{- $map := index . 0 }}
{{- range $key, $value := index . 1 }}
{{- if not (hasKey $map $key) }}{{ $_ := set $map $key $value }}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $map $key)) }}{{ include "sandpost.fill" (list (get $map $key) $value) }}
{{- end }}
{{- end }}
{{- end }}
