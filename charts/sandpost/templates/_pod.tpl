{{/* What the restricted Pod Security Standard asks of a container, and more: nothing is written to the image. */}}
{{- define "sandpost.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Secrets for the registry, given as names or as Kubernetes has them. */}}
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

{{/* What every pod of ours begins with: who it runs as, and no address of other Services in its environment. */}}
{{- define "sandpost.podStart" -}}
enableServiceLinks: false
{{- include "sandpost.pullSecrets" . }}
securityContext:
  runAsNonRoot: true
{{- with .Values.runAsUser }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
{{- end }}
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* The same with the user that the official images of MongoDB and Redis have. */}}
{{- define "sandpost.storePodStart" -}}
enableServiceLinks: false
automountServiceAccountToken: false
serviceAccountName: {{ include "sandpost.fullname" . }}
{{- include "sandpost.pullSecrets" . }}
securityContext:
  runAsNonRoot: true
  runAsUser: 999
  runAsGroup: 999
  fsGroup: 999
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* Where pods of a component may run: (list $ "api" .Values.api). */}}
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
