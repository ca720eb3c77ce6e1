{{/* Security of a container by the restricted Pod Security Standard, with a read-only file system in addition. */}}
{{- define "sandpost.containerSecurity" -}}
{{- $own := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "capabilities" (dict "drop" (list "ALL")) -}}
{{- mergeOverwrite $own .Values.containerSecurityContext | toYaml -}}
{{- end }}

{{/* Secrets for the registry. The values have names, or objects as in Kubernetes. */}}
{{- define "sandpost.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
{{- range . }}
  {{- if kindIs "string" . }}
  - name: {{ . }}
  {{- else }}
  - name: {{ .name }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Beginning of each pod of ours: its user, and an environment without addresses of other Services. */}}
{{- define "sandpost.podStart" -}}
enableServiceLinks: false
{{- include "sandpost.pullSecrets" . }}
{{- $own := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") }}
{{- with .Values.runAsUser }}
{{- $own = merge $own (dict "runAsUser" (int64 .) "runAsGroup" (int64 .)) }}
{{- if eq $.Values.store "embedded" }}
{{- $own = merge $own (dict "fsGroup" (int64 .) "fsGroupChangePolicy" "OnRootMismatch") }}
{{- end }}
{{- end }}
securityContext: {{- mergeOverwrite $own .Values.podSecurityContext | toYaml | nindent 2 }}
{{- end }}

{{/* Beginning of a store's pod, with the user of the official images of MongoDB and Redis. */}}
{{- define "sandpost.storePodStart" -}}
enableServiceLinks: false
automountServiceAccountToken: false
serviceAccountName: {{ include "sandpost.serviceAccount" . }}
{{- include "sandpost.pullSecrets" . }}
securityContext:
  runAsNonRoot: true
  runAsUser: 999
  runAsGroup: 999
  fsGroup: 999
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* Nodes for the pods of a component: (list $ "api" .Values.api). */}}
{{- define "sandpost.scheduling" -}}
{{- $values := index . 2 -}}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if ne (index . 1) "all" }}
topologySpreadConstraints:
{{- if $values.topologySpreadConstraints }}
{{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- else }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "sandpost.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- end }}
{{- end }}
