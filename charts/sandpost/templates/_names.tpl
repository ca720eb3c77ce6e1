{{/*
Name of the release's resources: the name of the release, followed by that of the chart unless it contains it. The longest
suffix has 26 characters, and a Job's name 63 at most. A longer name is cut and ends in its hash, so that names stay unique.
*/}}
{{- define "sandpost.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- $full = .Values.fullnameOverride | default $full -}}
{{- if gt (len $full) 37 -}}
{{- $full = printf "%s-%s" ($full | trunc 28 | trimSuffix "-") ($full | sha256sum | trunc 8) -}}
{{- end -}}
{{- $full -}}
{{- end }}

{{/* Labels that select the pods of one component: (list $ "api"). */}}
{{- define "sandpost.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Values.nameOverride | default $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* Labels that select the pods of a role: of its own, or of the pod that has all: (list $ "api"). */}}
{{- define "sandpost.pods" -}}
{{- $root := index . 0 -}}
{{ include "sandpost.selector" (list $root (ternary "all" (index . 1) (eq $root.Values.store "embedded"))) }}
{{- end }}

{{/* Labels of a resource of one component: (list $ "api"). */}}
{{- define "sandpost.labels" -}}
{{- $root := index . 0 -}}
{{ include "sandpost.selector" . }}
app.kubernetes.io/part-of: sandpost
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Name, namespace, labels and annotations: (list $ "api" "name"), with a dict of annotations as an optional fourth. */}}
{{- define "sandpost.metadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 2 }}
namespace: {{ $root.Release.Namespace }}
labels: {{- include "sandpost.labels" . | nindent 2 }}
{{- $own := ternary (last .) (dict) (gt (len .) 3) }}
{{- with merge (dict) $own $root.Values.commonAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Account of the pods that do not call the Kubernetes API. */}}
{{- define "sandpost.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "sandpost.fullname" .) -}}
{{- end }}

{{/* Account of the operator. */}}
{{- define "sandpost.operatorAccount" -}}
{{- .Values.operator.serviceAccount.name | default (printf "%s-operator" (include "sandpost.fullname" .)) -}}
{{- end }}

{{/*
An image by digest, or by tag: (list .Values.image "tag where none is given"). A tag of digits may be a number, which is
printed without an exponent.
*/}}
{{- define "sandpost.image" -}}
{{- $image := index . 0 -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{- $tag := ternary $image.tag (int64 $image.tag | toString) (kindIs "string" $image.tag) -}}
{{ $image.repository }}:{{ $tag | default (index . 1) }}
{{- end -}}
{{- end }}

{{/* Address of the API's Service, within the cluster. */}}
{{- define "sandpost.apiService" -}}
{{- $port := int .Values.api.service.port -}}
http://{{ include "sandpost.fullname" . }}-api.{{ .Release.Namespace }}.svc{{ if ne $port 80 }}:{{ $port }}{{ end }}
{{- end }}

{{/* Address of the API for its users: the one in the values, or that of its Service. */}}
{{- define "sandpost.baseUrl" -}}
{{- .Values.baseUrl | default (include "sandpost.apiService" .) | trimSuffix "/" -}}
{{- end }}

{{/* Host of the base URL, which Ingress and HTTPRoute serve. */}}
{{- define "sandpost.host" -}}
{{- (urlParse (include "sandpost.baseUrl" .)).hostname -}}
{{- end }}

{{/* Names that an MX record may point at: those in the values, or the base URL's host, or SMTP's Service. */}}
{{- define "sandpost.mxHosts" -}}
{{- $service := printf "%s-smtp.%s.svc.cluster.local" (include "sandpost.fullname" .) .Release.Namespace -}}
{{- .Values.mxHosts | join "," | default (ternary $service (include "sandpost.host" .) (eq .Values.baseUrl "")) -}}
{{- end }}
