{{/*
Deployment of one role of the program: (list $ "api" .Values.api). The role "all" has the embedded store, and so is a StatefulSet of one
pod with a volume.
*/}}
{{- define "sandpost.deployment" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $values := index . 2 -}}
{{- $full := include "sandpost.fullname" $root -}}
{{- $all := eq $role "all" -}}
{{- $isApi := has $role (list "api" "all") -}}
{{- $isSmtp := has $role (list "smtp" "all") -}}
{{- $isOperator := and (has $role (list "operator" "all")) $root.Values.operator.enabled -}}
{{- $smtpTls := and $isSmtp $root.Values.smtp.tls.secretName -}}
{{- /* A process that takes mail for anybody makes the account as well, since it may start first. */}}
{{- $takesMail := and $isSmtp $root.Values.bootstrap.capture }}
{{- $bootstrap := and $root.Values.bootstrap.enabled (or $isApi $takesMail) -}}
{{- $authorities := list $root (printf "%s-authorities" $full) -}}
{{- $oidc := and $isApi $root.Values.oidc.issuer -}}
{{- $hasSecrets := or (not $all) $bootstrap $oidc -}}
apiVersion: apps/v1
kind: {{ ternary "StatefulSet" "Deployment" $all }}
metadata: {{- include "sandpost.metadata" (list $root $role (printf "%s-%s" $full $role)) | nindent 2 }}
spec:
  {{- if $all }}
  serviceName: {{ $full }}-api
  # After an uninstallation that failed, an upgrade starts the pod again.
  replicas: 1
  # OrderedReady would not replace a pod that never became ready, not even by a rollback.
  podManagementPolicy: Parallel
  {{- end }}
  {{- if and (not $all) (not (and $values.autoscaling ($values.autoscaling).enabled)) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $root.Values.revisionHistoryLimit }}
  {{- if not $all }}
  strategy:
    # Start a new pod before an old one ends.
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  {{- end }}
  selector:
    matchLabels: {{- include "sandpost.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "sandpost.selector" . | nindent 8 }}
        sandpost.dev/metrics: "true"
        {{- with merge (dict) $values.podLabels $root.Values.commonLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/settings: {{ include "sandpost.settings" $root | sha256sum }}
        checksum/addresses: {{ list $root.Values.mongodb.uri $root.Values.redis.uri | join " " | sha256sum }}
        {{- with $root.Values.tls.caBundle }}
        checksum/authorities: {{ sha256sum . }}
        {{- end }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "sandpost.podStart" $root | nindent 6 }}
      {{- if $isOperator }}
      serviceAccountName: {{ include "sandpost.operatorAccount" $root }}
      {{- else }}
      serviceAccountName: {{ include "sandpost.serviceAccount" $root }}
      automountServiceAccountToken: false
      {{- end }}
      # Period longer than preStop and the 25 s in which the program finishes its work.
      terminationGracePeriodSeconds: 45
      {{- include "sandpost.scheduling" . | nindent 6 }}
      {{- if $root.Values.mongodb.bundled.enabled }}
      initContainers:
        {{- include "sandpost.waitForStore" . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ $role }}
          image: {{ include "sandpost.image" (list $root.Values.image $root.Chart.AppVersion) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ ternary "start" $role $all }}]
          envFrom:
            - configMapRef: {name: {{ $full }}}
            {{- with $root.Values.extraEnvFrom }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
          env:
            {{- if $all }}
            - {name: SANDPOST_DATA_DIR, value: /data}
            - {name: SANDPOST_OPERATOR, value: {{ $root.Values.operator.enabled | quote }}}
            {{- else }}
            - {name: SANDPOST_MONGODB_URI_FILE, value: /etc/sandpost/mongodb-uri}
            - {name: SANDPOST_REDIS_URL_FILE, value: /etc/sandpost/redis-url}
            {{- end }}
            {{- if $bootstrap }}
            - {name: SANDPOST_BOOTSTRAP_EMAIL, value: {{ $root.Values.bootstrap.email | quote }}}
            - {name: SANDPOST_BOOTSTRAP_PASSWORD_FILE, value: /etc/sandpost/password}
            - {name: SANDPOST_BOOTSTRAP_API_KEY_FILE, value: /etc/sandpost/api-key}
            {{- with $root.Values.bootstrap.capture }}
            - {name: SANDPOST_BOOTSTRAP_CAPTURE, value: {{ . | quote }}}
            {{- end }}
            {{- end }}
            {{- if $oidc }}
            {{- include "sandpost.oidcEnv" $root | nindent 12 }}
            {{- end }}
            {{- if $isOperator }}
            {{- include "sandpost.operatorEnv" $root | nindent 12 }}
            {{- end }}
            {{- if and (eq $role "operator") (not (contains `"NODE_OPTIONS"` (toJson (list $root.Values.extraEnv $values.env)))) }}
            # Share of the memory limit for the heap. By default, Node takes half, which leaves too little for buffers and connections.
            - {name: NODE_OPTIONS, value: --max-old-space-size-percentage=37.5}
            {{- end }}
            {{- if $smtpTls }}
            - {name: SANDPOST_SMTP_TLS_CERT_FILE, value: /etc/sandpost-smtp-tls/tls.crt}
            - {name: SANDPOST_SMTP_TLS_KEY_FILE, value: /etc/sandpost-smtp-tls/tls.key}
            - {name: SANDPOST_SMTPS_PORT, value: "4465"}
            {{- end }}
            {{- if include "sandpost.authorities" $authorities }}
            - {name: NODE_EXTRA_CA_CERTS, value: /etc/sandpost-tls/authorities.pem}
            {{- end }}
            {{- range list $root.Values.extraEnv $values.env }}
            {{- with . }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
            {{- end }}
          ports:
            {{- if $isApi }}
            - {name: http, containerPort: 8080}
            {{- end }}
            {{- if $isSmtp }}
            - {name: smtp, containerPort: 2525}
            {{- if $smtpTls }}
            - {name: smtps, containerPort: 4465}
            {{- end }}
            {{- end }}
            - {name: ops, containerPort: 9090}
          startupProbe:
            httpGet: {path: /livez, port: ops}
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: {path: /livez, port: ops}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: {path: /readyz, port: ops}
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          lifecycle:
            # Time in which each node stops sending new connections here.
            preStop: {sleep: {seconds: 10}}
          resources: {{- toYaml $values.resources | nindent 12 }}
          securityContext: {{- include "sandpost.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            {{- if $hasSecrets }}
            - {name: secrets, mountPath: /etc/sandpost, readOnly: true}
            {{- end }}
            - {name: tmp, mountPath: /tmp}
            {{- if $all }}
            - {name: data, mountPath: /data}
            {{- end }}
            {{- if include "sandpost.authorities" $authorities }}
            - {name: authorities, mountPath: /etc/sandpost-tls, readOnly: true}
            {{- end }}
            {{- if $smtpTls }}
            # Without subPath, which would keep the first version of the Secret.
            - {name: smtp-tls, mountPath: /etc/sandpost-smtp-tls, readOnly: true}
            {{- end }}
            {{- with $root.Values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $root.Values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- if $hasSecrets }}
        - name: secrets
          projected:
            sources:
              {{- if not $all }}
              {{- include "sandpost.storeSources" (list $root (printf "%s-addresses" $full)) | nindent 14 }}
              {{- end }}
              {{- if $bootstrap }}
              - secret:
                  name: {{ include "sandpost.bootstrapSecret" $root }}
                  items: [{key: password, path: password}, {key: api-key, path: api-key}]
              {{- end }}
              {{- if $oidc }}
              - secret:
                  name: {{ $root.Values.oidc.existingSecret.name }}
                  items: [{key: {{ $root.Values.oidc.existingSecret.key }}, path: oidc-client-secret}]
              {{- end }}
        {{- end }}
        - name: tmp
          emptyDir: {sizeLimit: 128Mi}
        {{- if $smtpTls }}
        - name: smtp-tls
          secret:
            secretName: {{ $root.Values.smtp.tls.secretName }}
            items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]
        {{- end }}
        {{- with include "sandpost.authorities" $authorities }}
        - name: authorities
          {{- . | nindent 10 }}
        {{- end }}
        {{- with $root.Values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  {{- if $all }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $values.storageClassName }}
        storageClassName: {{ . }}
        {{- end }}
        resources: {requests: {storage: {{ $values.storage }}}}
  {{- end }}
{{- end }}
