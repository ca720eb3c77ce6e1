{{/*
Secrets that are generated once. In a value, {hex:n} and {base64url:n} are n random bytes, and {key} is another
value of the same Secret.
*/}}
{{- define "sandpost.wantedSecrets" -}}
{{- $full := include "sandpost.fullname" . -}}
{{- $namespace := .Release.Namespace -}}
{{- if and .Values.bootstrap.enabled (not .Values.bootstrap.existingSecret) }}
{{ $full }}-bootstrap:
  password: "{base64url:18}"
  api-key: "sp_{base64url:32}"
{{- end }}
{{- if .Values.mongodb.bundled.enabled }}
{{ $full }}-mongodb:
  keyfile: "{hex:64}"
  password: "{hex:24}"
  mongodb-uri: "mongodb://sandpost:{password}@{{ $full }}-mongodb-0.{{ $full }}-mongodb.{{ $namespace }}.svc:27017/sandpost?replicaSet=rs0"
{{- end }}
{{- if .Values.redis.bundled.enabled }}
{{ $full }}-redis:
  password: "{hex:24}"
  redis-url: "redis://:{password}@{{ $full }}-redis.{{ $namespace }}.svc:6379"
  redis.conf: "requirepass {password}"
{{- end }}
{{- end }}
