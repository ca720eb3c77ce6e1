{{/*
Job that runs a script of files/jobs in our image, and the ConfigMap with the script. A Job cannot be changed, so its name
has a hash of its content: a Job that an upgrade changes is a new one. Takes a dict: root, component, script, hook, settings
(of settings.json), env, secrets (sources of a volume at /etc/sandpost), asksKubernetes (calls the Kubernetes API).
*/}}
{{- define "sandpost.scriptJob" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "sandpost.fullname" $root) .component -}}
{{- $image := include "sandpost.image" (list $root.Values.image $root.Chart.AppVersion) -}}
{{- $files := list .script -}}
{{- if .asksKubernetes }}{{ $files = append $files "kubernetes-api.ts" }}{{ end -}}
{{- $data := dict "package.json" (toJson (dict "type" "module")) -}}
{{- range $files }}{{ $_ := set $data . ($root.Files.Get (printf "files/jobs/%s" .)) }}{{ end -}}
{{- with .settings }}{{ $_ := set $data "settings.json" (toJson .) }}{{ end -}}
{{- $spec := include "sandpost.scriptJobSpec" (merge (dict "name" $name "image" $image) .) -}}
{{- $hash := list $spec $data | toJson | sha256sum | trunc 8 -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "sandpost.metadata" (list $root .component $name (include "sandpost.hook" (list .hook -10) | fromYaml)) | nindent 2 }}
data: {{- toYaml $data | nindent 2 }}
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- $annotations := include "sandpost.hook" (list .hook 0) | fromYaml }}
  {{- include "sandpost.metadata" (list $root .component (printf "%s-%s" $name $hash) $annotations) | nindent 2 }}
spec: {{- $spec | nindent 2 }}
{{- end }}

{{- define "sandpost.scriptJobSpec" -}}
backoffLimit: 6
template:
  metadata:
    labels: {{- include "sandpost.selector" (list .root .component) | nindent 6 }}
      {{- with .root.Values.jobs.podLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  spec:
    {{- include "sandpost.podStart" .root | nindent 4 }}
    serviceAccountName: {{ ternary .name (include "sandpost.serviceAccount" .root) .asksKubernetes }}
    automountServiceAccountToken: {{ .asksKubernetes }}
    restartPolicy: OnFailure
    containers:
      - name: {{ .component }}
        image: {{ .image }}
        imagePullPolicy: {{ .root.Values.image.pullPolicy }}
        command: [node, /scripts/{{ .script }}]
        env:
          {{- if .asksKubernetes }}
          - {name: NODE_EXTRA_CA_CERTS, value: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt}
          {{- end }}
          {{- with .env }}
          {{- toYaml . | nindent 10 }}
          {{- end }}
        resources:
          requests: {cpu: 50m, memory: 64Mi, ephemeral-storage: 16Mi}
          limits: {memory: 256Mi, ephemeral-storage: 64Mi}
        securityContext: {{- include "sandpost.containerSecurity" .root | nindent 10 }}
        volumeMounts:
          - {name: scripts, mountPath: /scripts, readOnly: true}
          - {name: tmp, mountPath: /tmp}
          {{- if .secrets }}
          - {name: secrets, mountPath: /etc/sandpost, readOnly: true}
          {{- end }}
    volumes:
      - name: scripts
        configMap: {name: {{ .name }}}
      - name: tmp
        emptyDir: {sizeLimit: 16Mi}
      {{- with .secrets }}
      - name: secrets
        projected: {sources: {{ toJson . }}}
      {{- end }}
{{- end }}

{{/* Annotations of a resource that Helm creates at one moment and removes afterwards: (list "pre-delete" weight). */}}
{{- define "sandpost.hook" -}}
helm.sh/hook: {{ index . 0 }}
helm.sh/hook-weight: {{ index . 1 | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
