{{- define "agent-mesh.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select; `component` is the service's word. Takes a dict of root and word; all pods of the release without word. */}}
{{- define "agent-mesh.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .word }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "agent-mesh.labels" -}}
{{ include "agent-mesh.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* Reference of an image. Takes a dict of root and the service's own image, whose keys replace those of all services: its tag also replaces their digest. */}}
{{- define "agent-mesh.image" -}}
{{- $own := .image | default dict -}}
{{- $image := mergeOverwrite (deepCopy .root.Values.image) (deepCopy $own) -}}
{{- if and $own.tag (not $own.digest) -}}{{- $_ := unset $image "digest" -}}{{- end -}}
{{- with $image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.root.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{/* Name of the Secret of a service, or of the job `migrate`. Takes a dict of root, word and service. */}}
{{- define "agent-mesh.secret" -}}
{{- $missing := "existingSecret is missing: name the beginning of the Secrets <existingSecret>-<service> and <existingSecret>-migrate, see deploy/README.md" -}}
{{- .service.existingSecret | default (printf "%s-%s" (required $missing .root.Values.existingSecret) .word) -}}
{{- end -}}

{{/* Name of the Secret with the credentials of the S3 server of this release. */}}
{{- define "agent-mesh.s3Secret" -}}
{{- .Values.s3.existingSecret | default (printf "%s-s3" (include "agent-mesh.fullname" .)) -}}
{{- end -}}

{{/* Address of a service for its callers. Takes a dict of root, word and service. */}}
{{- define "agent-mesh.address" -}}
{{- if .service.enabled -}}
dns:///{{ include "agent-mesh.fullname" .root }}-{{ .word }}:{{ int .service.port }}
{{- else -}}
{{ required (printf "services.%s.address is missing: this release does not deploy it, and others call it" .word) .service.address }}
{{- end -}}
{{- end -}}

{{/* The entry of a service over the defaults, as YAML. */}}
{{- define "agent-mesh.service" -}}
{{- $service := mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (index .root.Values.services .word)) -}}
{{- $s3 := .root.Values.s3 -}}
{{- if and $s3.enabled (eq .word "artifacts") -}}
{{- $_ := set $service.data "enabled" false -}}
{{- $endpoint := printf "http://%s-s3:%d" (include "agent-mesh.fullname" .root) (int $s3.port) -}}
{{- $_ := set $service "env" (merge (dict "ARTIFACT_STORE_URL" (printf "s3://%s" $s3.bucket) "ARTIFACT_S3_ENDPOINT" $endpoint) $service.env) -}}
{{- end -}}
{{- if $service.enabled -}}{{- include "agent-mesh.refuse" (dict "root" .root "word" .word "service" $service) -}}{{- end -}}
{{- $declared := index (.root.Files.Get "callers.yaml" | fromYaml) .word | default list -}}
{{- set $service "calledBy" (concat $declared $service.calledBy | uniq) | toYaml -}}
{{- end -}}

{{- define "agent-mesh.publicBaseUrl" -}}
{{- $ingress := .root.Values.ingress -}}
{{- if .root.Values.publicBaseUrl -}}
{{ .root.Values.publicBaseUrl }}
{{- else if $ingress.enabled -}}
{{ ternary "https" "http" (ne $ingress.tlsSecret "") }}://{{ $ingress.host }}
{{- else -}}
http://{{ include "agent-mesh.fullname" .root }}-{{ .word }}.{{ .root.Release.Namespace }}.svc:{{ int .service.port }}
{{- end -}}
{{- end -}}

{{- define "agent-mesh.databasePorts" -}}
{{- $ports := list (int .Values.networkPolicy.database.port) -}}
{{- with .Values.database.directUrl -}}
{{- $ports = append $ports (regexFind "[0-9]+$" (urlParse .).host | default "5432" | int) -}}
{{- end -}}
{{- range uniq $ports }}
- { port: {{ . }}, protocol: TCP }
{{- end }}
{{- end -}}

{{/* The consumers that may call a service, with their grants for it. Takes a dict of root and word. */}}
{{- define "agent-mesh.consumers" -}}
{{- $word := .word -}}{{- $consumers := dict -}}
{{- range $name, $grant := .root.Values.consumers -}}
{{- $methods := list -}}
{{- range $grant.methods -}}{{- if hasPrefix (printf "%s." $word) . -}}{{- $methods = append $methods . -}}{{- end -}}{{- end -}}
{{- if $methods -}}
{{- $_ := set $consumers $name (merge (dict "methods" $methods) (pick $grant "keys" "accounts" "from")) -}}
{{- end -}}
{{- end -}}
{{- toYaml $consumers -}}
{{- end -}}

{{/* Plain environment of a service's pod as YAML: what the chart decides, then env, then the entry's own env. */}}
{{- define "agent-mesh.env" -}}
{{- $root := .root -}}{{- $word := .word -}}{{- $service := .service -}}{{- $port := toString (int .service.port) -}}
{{- $env := dict "NODE_ENV" "production" "DATA_DIR" "/tmp/data" "OPS_HOST" "0.0.0.0" "OPS_HOSTS" ".svc,.svc.cluster.local" -}}
{{- $_ := set $env "OPS_PORT" (toString (int $root.Values.opsPort)) -}}
{{- $_ := set $env "SHUTDOWN_GRACE_SECONDS" (toString (int ($service.shutdownGraceSeconds | default $root.Values.shutdownGraceSeconds))) -}}
{{- if $service.public -}}
{{- $_ := set $env "HOST" "0.0.0.0" -}}
{{- $_ := set $env "PORT" $port -}}
{{- else -}}
{{- $_ := set $env "MESH_HOST" "0.0.0.0" -}}
{{- $_ := set $env "MESH_PORT" $port -}}
{{- end -}}
{{- range $other, $entry := $root.Values.services -}}
{{- if and $entry.public (or $root.Values.publicBaseUrl (ne $entry.enabled false)) -}}
{{- $_ := set $env "PUBLIC_BASE_URL" (include "agent-mesh.publicBaseUrl" (dict "root" $root "word" $other "service" $entry)) -}}
{{- end -}}
{{- $callee := include "agent-mesh.service" (dict "root" $root "word" $other) | fromYaml -}}
{{- if has $word $callee.calledBy -}}
{{- $url := include "agent-mesh.address" (dict "root" $root "word" $other "service" $callee) -}}
{{- $_ := set $env (printf "MESH_%s_URL" (upper $other)) $url -}}
{{- end -}}
{{- end -}}
{{- if and $service.agents (or $root.Values.agents.files $root.Values.agents.volume) -}}
{{- $_ := set $env "AGENTS_DIR" "/agents" -}}
{{- end -}}
{{- $grants := dict -}}
{{- range $name, $grant := include "agent-mesh.consumers" (dict "root" $root "word" $word) | fromYaml -}}
{{- $_ := set $grants $name (omit $grant "from") -}}
{{- end -}}
{{- if $grants -}}
{{- $_ := set $env "MESH_CONSUMERS" (toJson $grants) -}}
{{- end -}}
{{- if and $root.Values.reflection (not $service.public) -}}
{{- $_ := set $env "MESH_REFLECTION" "true" -}}
{{- end -}}
{{- if $root.Values.meshTls.existingSecret -}}
{{- $_ := set $env "MESH_TLS_CERT" "/mesh-tls/tls.crt" -}}
{{- $_ := set $env "MESH_TLS_KEY" "/mesh-tls/tls.key" -}}
{{- $_ := set $env "MESH_TLS_CA" "/mesh-tls/ca.crt" -}}
{{- end -}}
{{- with $root.Values.database.directUrl -}}
{{- $_ := set $env "DATABASE_DIRECT_URL" . -}}
{{- end -}}
{{- if $root.Values.nats.enabled -}}
{{- $_ := set $env "NATS_URL" $root.Values.nats.url -}}
{{- $_ := set $env "NATS_USER" $word -}}
{{- $_ := set $env "NATS_STREAM_REPLICAS" (toString (int $root.Values.nats.replicas)) -}}
{{- end -}}
{{- $ports := pick $env "PORT" "MESH_PORT" "OPS_PORT" -}}
{{- $merged := mergeOverwrite $env $root.Values.env $service.env -}}
{{- range $name, $decided := $ports -}}
{{- if ne (index $merged $name) $decided -}}
{{- $key := ternary "opsPort" (printf "services.%s.port" $word) (eq $name "OPS_PORT") -}}
{{- fail (printf "%s is %s, and env.%s differs: manifests name the former. Set %s alone" $key $decided $name $key) -}}
{{- end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end -}}
