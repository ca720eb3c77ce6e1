{{/* Ports from or to anywhere, such as those of a service mesh between its proxies: a list. */}}
{{- define "sandpost.meshPorts" -}}
{{- with . }}
- ports:
    {{- range . }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}

{{/* DNS servers anywhere. Checks of mail query those that the settings name. */}}
{{- define "sandpost.dnsEgress" -}}
- ports:
    {{- range .Values.networkPolicy.dnsPorts }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}

{{/* Stores: those of this release, or any address on the ports of external ones. */}}
{{- define "sandpost.storeEgress" -}}
{{- range $store, $port := dict "mongodb" 27017 "redis" 6379 }}
{{- if (index $.Values $store).bundled.enabled }}
- ports: [{protocol: TCP, port: {{ $port }}}]
  to:
    - podSelector:
        matchLabels: {{- include "sandpost.selector" (list $ $store) | nindent 10 }}
{{- end }}
{{- end }}
{{- if not (or (and .Values.mongodb.bundled.enabled .Values.redis.bundled.enabled) (eq .Values.store "embedded")) }}
- ports:
    {{- range .Values.networkPolicy.storePorts }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}

{{/* Kubernetes API, which has no pods that a policy could select. */}}
{{- define "sandpost.kubernetesEgress" -}}
- ports:
    {{- range .Values.networkPolicy.kubernetesPorts }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
