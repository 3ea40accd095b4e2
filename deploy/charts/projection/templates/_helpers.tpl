{{- define "projection.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of the release's objects: the release's own name if it contains the chart's name. */}}
{{- define "projection.fullname" -}}
{{- $name := include "projection.name" . -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "projection.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "projection.fullname" .) "default") -}}
{{- end -}}

{{- define "projection.selectorLabels" -}}
app.kubernetes.io/name: {{ include "projection.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "projection.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "projection.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: operator
app.kubernetes.io/part-of: projection
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "projection.labels" -}}
{{- include "projection.labelsAnd" (list . (dict)) -}}
{{- end -}}

{{/* The labels of every object, merged with further ones. Takes a list of the root and a map. The chart's own labels win. */}}
{{- define "projection.labelsAnd" -}}
{{- $root := first . -}}
{{- $own := include "projection.ownLabels" $root | fromYaml -}}
{{- mergeOverwrite (deepCopy $root.Values.commonLabels) (deepCopy (last .)) $own | toYaml -}}
{{- end -}}

{{- define "projection.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Validation that the schema cannot express. */}}
{{- define "projection.validate" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.leaderElection.enabled) -}}
{{- fail "replicas: more than one replica without leaderElection.enabled would all write; enable it, or set replicas to 1" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "serviceMonitor.enabled: there is nothing to scrape; set metrics.enabled, too" -}}
{{- end -}}
{{- if and .Values.metrics.enabled (eq (int .Values.metrics.port) 8081) -}}
{{- fail "metrics.port: 8081 is the port of the probes; choose another one" -}}
{{- end -}}
{{- with .Values.podDisruptionBudget -}}
{{- if and .enabled (eq (kindIs "invalid" .minAvailable) (kindIs "invalid" .maxUnavailable)) -}}
{{- fail "podDisruptionBudget: set either minAvailable or maxUnavailable, and the other one to null" -}}
{{- end -}}
{{- end -}}
{{- end -}}
