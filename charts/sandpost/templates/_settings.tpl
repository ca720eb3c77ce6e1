{{/* Settings of the program that are no secrets. */}}
{{- define "sandpost.settings" -}}
SANDPOST_BASE_URL: {{ include "sandpost.baseUrl" . | quote }}
SANDPOST_HTTP_HOST: 0.0.0.0
SANDPOST_SMTP_HOST: 0.0.0.0
SANDPOST_MX_HOSTS: {{ include "sandpost.mxHosts" . | quote }}
SANDPOST_DNS_SERVERS: {{ .Values.dnsServers | join "," | quote }}
SANDPOST_SPAM_URL: {{ .Values.spamUrl | quote }}
SANDPOST_OTLP_URL: {{ .Values.otlpUrl | quote }}
SANDPOST_OUTBOUND: {{ .Values.outbound | quote }}
SANDPOST_OUTBOUND_NETWORKS: {{ .Values.outboundNetworks | join "," | quote }}
SANDPOST_MX_INTERVAL: {{ .Values.mxIntervalSeconds | default "" | toString | quote }}
SANDPOST_RETENTION_DAYS: {{ .Values.retentionDays | quote }}
SANDPOST_MAX_MESSAGE_BYTES: {{ .Values.maxMessageBytes | int64 | quote }}
SANDPOST_REQUIRE_VERIFIED: {{ .Values.requireVerified | quote }}
SANDPOST_CAPTURE: {{ .Values.capture | quote }}
SANDPOST_REGISTRATION: {{ .Values.registration | quote }}
SANDPOST_ALLOWED_ORIGINS: {{ .Values.allowedOrigins | join "," | quote }}
SANDPOST_MAX_DOMAINS: {{ .Values.maxDomains | int64 | quote }}
SANDPOST_MAX_ACCOUNTS: {{ .Values.maxAccounts | int64 | quote }}
SANDPOST_MAX_STORAGE_LIMIT: {{ .Values.maxStorageLimit | int64 | quote }}
SANDPOST_DOMAIN_SUFFIXES: {{ .Values.domainSuffixes | join "," | quote }}
SANDPOST_TRUSTED_PROXIES: {{ .Values.trustedProxies | join "," | quote }}
SANDPOST_SMTP_MAX_CONNECTIONS: {{ .Values.smtp.maxConnections | int64 | quote }}
SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS: {{ .Values.smtp.maxConnectionsPerAddress | int64 | quote }}
SANDPOST_SMTP_PROXY_FROM: {{ .Values.smtp.proxyFrom | join "," | quote }}
SANDPOST_RATE_LIMIT: {{ .Values.rateLimit | int64 | quote }}
SANDPOST_MAX_WAITS: {{ .Values.maxWaits | int64 | quote }}
SANDPOST_LOG_LEVEL: {{ .Values.logLevel | quote }}
SANDPOST_ATTRIBUTE_SENDERS: {{ .Values.operator.attributeSenders | quote }}
{{- with .Values.operator.clusterId }}
SANDPOST_CLUSTER_ID: {{ . | quote }}
{{- end }}
{{- end }}

{{/*
Watched namespaces that exist and are not being deleted, as JSON. Helm cannot install a Role in a missing one, and would
end with an error. Lookups need a cluster: helm template finds nothing by them, and all named namespaces are taken then.
*/}}
{{- define "sandpost.watched" -}}
{{- $there := list -}}
{{- range .Values.operator.watchNamespaces }}
{{- $namespace := lookup "v1" "Namespace" "" . }}
{{- if and $namespace (not (dig "metadata" "deletionTimestamp" "" $namespace)) }}{{ $there = append $there . }}{{ end }}
{{- end }}
{{- if or $there (and .Values.operator.watchNamespaces (lookup "v1" "Namespace" "" .Release.Namespace)) -}}
{{- $there | toJson -}}
{{- else -}}
{{- .Values.operator.watchNamespaces | toJson -}}
{{- end -}}
{{- end }}

{{/* Settings of the operator alone: its identity, its namespaces, and the addresses in the Secrets of ApiKeys. */}}
{{- define "sandpost.operatorEnv" -}}
- {name: SANDPOST_POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
- {name: SANDPOST_LEASE_NAME, value: {{ include "sandpost.fullname" . }}-operator}
- {name: SANDPOST_ORPHAN_GRACE_PERIOD, value: {{ .Values.operator.orphanGracePeriod | quote }}}
- {name: SANDPOST_WATCH_NAMESPACES, value: {{ .Values.operator.watchNamespaces | join "," | quote }}}
- {name: SANDPOST_NAMESPACE_SELECTOR, value: {{ .Values.operator.namespaceSelector | quote }}}
- {name: SANDPOST_PREVIEW_SELECTOR, value: {{ .Values.operator.previews.selector | quote }}}
- {name: SANDPOST_PREVIEW_DOMAIN, value: {{ .Values.operator.previews.domain | quote }}}
- {name: SANDPOST_CLIENT_URL, value: {{ include "sandpost.apiService" . | quote }}}
- {name: SANDPOST_CLIENT_SMTP, value: "{{ include "sandpost.fullname" . }}-smtp.{{ .Release.Namespace }}.svc:{{ .Values.smtp.service.port }}"}
{{- if .Values.smtp.tls.secretName }}
- {name: SANDPOST_CLIENT_SMTPS_PORT, value: "465"}
{{- end }}
{{- end }}

{{/* Identity provider, for the API alone. */}}
{{- define "sandpost.oidcEnv" -}}
- {name: SANDPOST_PASSWORD_SIGN_IN, value: {{ .Values.passwordSignIn | quote }}}
- {name: SANDPOST_OIDC_ISSUER, value: {{ .Values.oidc.issuer | quote }}}
- {name: SANDPOST_OIDC_CLIENT_ID, value: {{ .Values.oidc.clientId | quote }}}
- {name: SANDPOST_OIDC_CLIENT_SECRET_FILE, value: /etc/sandpost/oidc-client-secret}
- {name: SANDPOST_OIDC_SCOPES, value: {{ .Values.oidc.scopes | quote }}}
- {name: SANDPOST_OIDC_ALLOWED_EMAIL_DOMAINS, value: {{ .Values.oidc.allowedEmailDomains | join "," | quote }}}
- {name: SANDPOST_OIDC_GROUPS_CLAIM, value: {{ .Values.oidc.groupsClaim | quote }}}
- {name: SANDPOST_OIDC_GROUPS, value: {{ .Values.oidc.groups | join "," | quote }}}
{{- end }}
