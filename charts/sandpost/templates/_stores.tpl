{{/* Secrets with the addresses of the stores, as sources of one projected volume: (list $ "name of that with the values' own"). */}}
{{- define "sandpost.storeSources" -}}
{{- $root := index . 0 -}}
{{- $given := index . 1 -}}
{{- range list "mongodb" "redis" }}
{{- $store := index $root.Values . }}
{{- $key := ternary "mongodb-uri" "redis-url" (eq . "mongodb") }}
{{- $own := ternary $given (printf "%s-%s" (include "sandpost.fullname" $root) .) (ne $store.uri "") }}
- secret:
    name: {{ $store.existingSecret.name | default $own }}
    items:
      - {key: {{ ternary $store.existingSecret.key $key (ne $store.existingSecret.name "") }}, path: {{ $key }}}
{{- end }}
{{- end }}

{{/* Addresses from the values, as entries of a Secret. */}}
{{- define "sandpost.givenAddresses" -}}
{{- with .Values.mongodb.uri }}
mongodb-uri: {{ . | quote }}
{{- end }}
{{- with .Values.redis.uri }}
redis-url: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Volume with the certificates of the authorities that sign for the stores, or nothing: (list $ "name of the values' own"). */}}
{{- define "sandpost.authorities" -}}
{{- with (index . 0).Values.tls }}
{{- if .existingSecret.name }}
secret:
  secretName: {{ .existingSecret.name }}
  items: [{key: {{ .existingSecret.key }}, path: authorities.pem}]
{{- else if .existingConfigMap.name }}
configMap:
  name: {{ .existingConfigMap.name }}
  items: [{key: {{ .existingConfigMap.key }}, path: authorities.pem}]
{{- else if .caBundle }}
configMap:
  name: {{ index $ 1 }}
{{- end }}
{{- end }}
{{- end }}

{{/* Ends the rendering with a sentence where values contradict one another. */}}
{{- define "sandpost.validate" -}}
{{- range list "mongodb" "redis" }}
{{- $store := index $.Values . }}
{{- $given := or $store.uri $store.existingSecret.name }}
{{- if and $store.uri $store.existingSecret.name }}
{{- fail (printf "set only one of %s.uri and %s.existingSecret.name" . .) }}
{{- else if and $given $store.bundled.enabled }}
{{- fail (printf "%s.bundled.enabled must be false if you set an address" .) }}
{{- else if and $given (eq $.Values.store "embedded") }}
{{- fail (printf "store=embedded needs no %s: remove its address, or set store=cluster" .) }}
{{- else if not (or $given $store.bundled.enabled (eq $.Values.store "embedded")) }}
{{- fail (printf "%s.existingSecret.name or %s.uri is missing: set one of them, or %s.bundled.enabled" . . .) }}
{{- end }}
{{- end }}
{{- if eq .Values.store "embedded" }}
{{- if lookup "apps/v1" "StatefulSet" .Release.Namespace (printf "%s-mongodb" (include "sandpost.fullname" .)) }}
{{- fail "this release keeps its mail in MongoDB, and store=embedded would start without it: export the mail, uninstall the release, and install it again (docs/backup.md)" }}
{{- end }}
{{- end }}
{{- if gt (len (compact (list .Values.tls.caBundle .Values.tls.existingSecret.name .Values.tls.existingConfigMap.name))) 1 }}
{{- fail "set only one of tls.caBundle, tls.existingSecret.name and tls.existingConfigMap.name" }}
{{- end }}
{{- if and .Values.bootstrap.capture (or .Values.capture (not .Values.bootstrap.enabled)) }}
{{- fail "bootstrap.capture needs bootstrap.enabled and an empty capture, because both set the account for mail to unregistered domains" }}
{{- end }}
{{- range $route := list "tcpRoute" "tlsRoute" }}
{{- with index $.Values $route }}
{{- if and .enabled (not .parentRefs) }}
{{- fail (printf "%s.parentRefs is missing: name the gateway" $route) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.tlsRoute.enabled (not (and .Values.smtp.tls.secretName .Values.mxHosts)) }}
{{- fail "tlsRoute.enabled needs smtp.tls.secretName and mxHosts" }}
{{- end }}
{{- with .Values.smtp.tls }}
{{- if and .certificate.enabled (not (and .secretName .certificate.issuerRef)) }}
{{- fail "smtp.tls.certificate.enabled needs smtp.tls.secretName and smtp.tls.certificate.issuerRef" }}
{{- end }}
{{- end }}
{{- $full := include "sandpost.fullname" . }}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $full) }}
{{- fail (printf "Services cannot have the name %s: set fullnameOverride to lowercase letters, digits and hyphens, beginning with a letter" $full) }}
{{- end }}
{{- if and .Values.smtp.tls.secretName (eq (int .Values.smtp.service.port) 465) }}
{{- fail "smtp.service.port must not be 465 with smtp.tls.secretName, which opens 465 for implicit TLS: use 25" }}
{{- end }}
{{- $nodePort := .Values.smtp.service.nodePort }}
{{- if and $nodePort (eq (toString $nodePort) (toString .Values.api.service.nodePort)) }}
{{- fail "api.service.nodePort and smtp.service.nodePort must differ" }}
{{- end }}
{{- range $role := list "api" "smtp" }}
{{- with (index $.Values $role).autoscaling }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
{{- fail (printf "%s.autoscaling.minReplicas must not be more than maxReplicas" $role) }}
{{- end }}
{{- end }}
{{- end }}
{{- $seconds := dict "s" 1 "m" 60 "h" 3600 "d" 86400 }}
{{- $period := .Values.operator.orphanGracePeriod }}
{{- if gt (mul (regexFind "^[0-9]+" $period) (get $seconds (regexFind "[a-z]$" $period))) 31536000 }}
{{- fail "operator.orphanGracePeriod must be at most 365d" }}
{{- end }}
{{- if and .Values.mongodb.bundled.enabled (ne .Values.store "embedded") }}
{{- with .Values.mongodb.bundled }}
{{- $limit := toString (dig "limits" "memory" "" (.resources | default dict)) }}
{{- $unit := get (dict "M" 0.000931 "Mi" 0.0009765625 "G" 0.931 "Gi" 1.0) (regexFind "[A-Za-z]+$" $limit) }}
{{- if and $unit (gt (mulf .cacheSizeGB 2) (mulf (regexFind "^[0-9.]+" $limit) $unit)) }}
{{- fail (printf "mongodb.bundled.cacheSizeGB must be at most half of the memory limit (%s)" $limit) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.operator }}
{{- if ne (empty .previews.selector) (empty .previews.domain) }}
{{- fail "set both operator.previews.selector and operator.previews.domain, or neither" }}
{{- end }}
{{- if and .namespaceSelector .watchNamespaces }}
{{- fail "set only one of operator.namespaceSelector and operator.watchNamespaces" }}
{{- end }}
{{- if and .previews.selector .watchNamespaces }}
{{- fail "operator.previews.selector needs all namespaces: remove operator.watchNamespaces" }}
{{- end }}
{{- end }}
{{- range .Values.extraVolumes }}
{{- if has .name (list "secrets" "tmp" "authorities" "data") }}
{{- fail (printf "extraVolumes: the chart already has a volume %s: use another name" .name) }}
{{- end }}
{{- end }}
{{- range $from, $labels := dict "commonLabels" .Values.commonLabels "embedded.podLabels" .Values.embedded.podLabels "api.podLabels" .Values.api.podLabels "smtp.podLabels" .Values.smtp.podLabels "operator.podLabels" .Values.operator.podLabels "jobs.podLabels" .Values.jobs.podLabels }}
{{- range $own := list "name" "instance" "component" "part-of" "version" "managed-by" }}
{{- if hasKey $labels (printf "app.kubernetes.io/%s" $own) }}
{{- fail (printf "%s: the chart sets app.kubernetes.io/%s to select its pods: use another label" $from $own) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (or .Values.ingress.enabled .Values.httpRoute.enabled) (not .Values.trustedProxies) (not .Values.allowUntrustedProxies) }}
{{- fail "trustedProxies is missing: set it to the pod networks (CIDR) of your ingress controller or gateway. Without them, all visitors share the proxy's address, and one who guesses passwords can lock everybody out. To accept this risk, set allowUntrustedProxies=true" }}
{{- end }}
{{- end }}

{{/* Secret of the bootstrap user: the existing one in the values, or the generated one. */}}
{{- define "sandpost.bootstrapSecret" -}}
{{- .Values.bootstrap.existingSecret | default (printf "%s-bootstrap" (include "sandpost.fullname" .)) -}}
{{- end }}

{{/*
Container that waits for the bundled MongoDB, which is slow at the first installation. Kubernetes would restart a program
that fails because of it with growing delays. Takes (list $ role values), as the Deployment does.
*/}}
{{- define "sandpost.waitForStore" -}}
{{- $root := index . 0 -}}
- name: wait-for-store
  image: {{ include "sandpost.image" (list $root.Values.image $root.Chart.AppVersion) }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  workingDir: /app
  command: [node, --input-type=module, --eval]
  args:
    - |
      import { readFileSync } from 'node:fs';
      import { setTimeout as pause } from 'node:timers/promises';
      import { MongoClient } from 'mongodb';
      const uri = readFileSync('/etc/sandpost/mongodb-uri', 'utf8').trim();
      for (let last = ''; ; await pause(500)) {
        const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
        const trouble = await client.db().command({ ping: 1 }).then(() => null, (error) => error.message);
        await client.close();
        if (trouble === null) break;
        if (trouble !== last) console.log(`waiting for MongoDB: ${trouble}`);
        last = trouble;
      }
  resources: {{- toYaml (index . 2).resources | nindent 4 }}
  securityContext: {{- include "sandpost.containerSecurity" $root | nindent 4 }}
  volumeMounts:
    - {name: secrets, mountPath: /etc/sandpost, readOnly: true}
    - {name: tmp, mountPath: /tmp}
{{- end }}
