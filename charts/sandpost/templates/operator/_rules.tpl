{{/* What the operator asks of the API server in the namespaces that it looks after; test/chart holds it against its calls. */}}
{{- define "sandpost.operatorRules" -}}
- apiGroups: [sandpost.dev]
  resources: [domains, accounts, apikeys]
  verbs: [get, list, watch, patch]
- apiGroups: [sandpost.dev]
  resources: [domains/status, accounts/status, apikeys/status]
  verbs: [patch]
# The Secrets of ApiKeys, under the names that users choose.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, update, delete]
# Whether one is being deleted, and all of its mail with it.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
{{- end }}
