{{/* Rights of the operator in the namespaces that it watches. A test in test/long/chart compares them with its calls. */}}
{{- define "sandpost.operatorRules" -}}
- apiGroups: [sandpost.dev]
  resources: [domains, accounts, apikeys, members, inboxes]
  verbs: [get, list, watch, patch]
# Deletes those that are finished, after spec.ttlAfterFinished.
- apiGroups: [sandpost.dev]
  resources: [mailexpectations]
  verbs: [get, list, watch, delete]
- apiGroups: [sandpost.dev]
  resources: [domains/status, accounts/status, apikeys/status, members/status, inboxes/status, mailexpectations/status]
  verbs: [patch]
# Secrets of ApiKeys and Inboxes, under the names that users choose.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, create, patch, delete{{ if .Values.operator.watchSecrets }}, list, watch{{ end }}]
# Read access to namespaces, since the deletion of one deletes all of its mail.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
{{- if .Values.operator.attributeSenders }}
# Pods that send mail, and what created them.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get]
{{- end }}
{{- end }}

{{/* Reason for a ClusterRole instead of a Role in each namespace. */}}
{{- define "sandpost.whyClusterWide" -}}
{{- if .Values.operator.namespaceSelector -}}
operator.namespaceSelector selects namespaces by their labels, and Kubernetes cannot grant permissions by label
{{- else -}}
operator.watchNamespaces is empty, so the operator watches all namespaces
{{- end }}
{{- end }}
