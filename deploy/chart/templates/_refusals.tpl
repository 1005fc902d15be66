{{/* Refuses the values of a service that no cluster can follow, or that lose payloads. Takes a dict of root, word and service. */}}
{{- define "agent-mesh.refuse" -}}
{{- $word := .word -}}{{- $service := .service -}}{{- $scaling := .service.autoscaling -}}
{{- if eq (int $service.port) (int .root.Values.opsPort) -}}
{{- fail (printf "services.%s.port is %d, as opsPort is: a process cannot listen twice on one port" $word (int $service.port)) -}}
{{- end -}}
{{- if $scaling.enabled -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "services.%s.autoscaling.minReplicas is %d, more than its maxReplicas, %d. Set both: a key that is left out has its default" $word (int $scaling.minReplicas) (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- $resources := $service.resources | default dict -}}
{{- if not (or ($resources.requests | default dict).cpu ($resources.limits | default dict).cpu) -}}
{{- fail (printf "services.%s.resources.requests.cpu is missing: autoscaling.targetCPUUtilizationPercentage is a share of it" $word) -}}
{{- end -}}
{{- $own := (index .root.Values.services $word | default dict).autoscaling | default dict -}}
{{- if and $own.targetQueuedRuns (ne $word "runs") -}}
{{- fail (printf "services.%s.autoscaling.targetQueuedRuns is %d: only the pods of runs have that metric" $word (int $own.targetQueuedRuns)) -}}
{{- end -}}
{{- end -}}
{{- $shared := or (not $service.data.enabled) (eq $service.data.accessMode "ReadWriteMany") -}}
{{- $many := gt (ternary (int $scaling.maxReplicas) (int $service.replicas) $scaling.enabled) 1 -}}
{{- if and $many (not $shared) -}}
{{- fail (printf "services.%s has several replicas, and its volume serves one. Set s3.enabled to true for an S3 server of this release, or services.%s.data.accessMode to ReadWriteMany, or data.enabled to false with an S3 server elsewhere (env.ARTIFACT_STORE_URL s3://…), or replicas to 1: calls then fail at each rollout" $word $word) -}}
{{- end -}}
{{- if and (eq $word "artifacts") (not $service.data.enabled) (hasPrefix "file:" ($service.env.ARTIFACT_STORE_URL | default "file:")) -}}
{{- fail "services.artifacts has neither a volume (data.enabled) nor an S3 server (s3.enabled, or env.ARTIFACT_STORE_URL s3://…): payloads would be lost with its pods" -}}
{{- end -}}
{{- end -}}
