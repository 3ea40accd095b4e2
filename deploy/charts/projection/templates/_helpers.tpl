{{- define "projection.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of the release's objects: the release's own name if it contains the chart's name. */}}
{{- define "projection.fullname" -}}
{{- $name := include "projection.name" . -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "projection.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
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

{{/* A registry takes the place of the one that the repository begins with: a first part that has a dot or a port. */}}
{{- define "projection.image" -}}
{{- $image := .Values.image -}}
{{- $repository := $image.repository -}}
{{- with $image.registry | default .Values.global.imageRegistry -}}
{{- $repository = printf "%s/%s" . (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" $repository "") -}}
{{- end -}}
{{- if $image.digest -}}
{{ $repository }}@{{ $image.digest }}
{{- else -}}
{{ $repository }}:{{ $image.tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "projection.imagePullSecrets" -}}
{{- with concat (.Values.global.imagePullSecrets | default list) .Values.imagePullSecrets | uniq -}}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The Secret with the certificate of the metrics; empty if the operator signs its own. */}}
{{- define "projection.metricsSecret" -}}
{{- if and .Values.metrics.enabled .Values.metrics.secure -}}
{{- if .Values.metrics.certificate.certManager.enabled -}}
{{- .Values.metrics.certificate.secretName | default (printf "%s-metrics" (include "projection.fullname" .)) -}}
{{- else -}}
{{- .Values.metrics.certificate.secretName -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The operator, as the subject of a FlowSchema. */}}
{{- define "projection.flowSubjects" -}}
- kind: ServiceAccount
  serviceAccount:
    name: {{ include "projection.serviceAccountName" . }}
    namespace: {{ include "projection.namespace" . }}
{{- end -}}

{{/* Validation that the schema cannot express. */}}
{{/* Not empty if the operator can copy ConfigMaps, as the test of a release does. */}}
{{- define "projection.copiesConfigMaps" -}}
{{- if kindIs "invalid" .Values.supportedKinds -}}true{{- end -}}
{{- range .Values.supportedKinds -}}
{{- if and (eq .apiGroup "") (or (has "configmaps" .resources) (has "*" .resources)) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{- define "projection.validate" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.leaderElection.enabled) -}}
{{- fail "replicas: more than one replica without leaderElection.enabled would all write; enable it, or set replicas to 1" -}}
{{- end -}}
{{- range $monitor := list "serviceMonitor" "podMonitor" -}}
{{- if and (index $.Values $monitor).enabled (not $.Values.metrics.enabled) -}}
{{- fail (printf "%s.enabled: there is nothing to scrape; set metrics.enabled, too" $monitor) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled .Values.podMonitor.enabled -}}
{{- fail "podMonitor.enabled: the ServiceMonitor scrapes the same pods; enable one of them" -}}
{{- end -}}
{{- if and .Values.metrics.enabled (eq (int .Values.metrics.port) 8081) -}}
{{- fail "metrics.port: 8081 is the port of the probes; choose another one" -}}
{{- end -}}
{{- if and .Values.podMonitor.enabled .Values.metrics.secure (not .Values.podMonitor.tokenSecret) -}}
{{- fail "podMonitor.tokenSecret: metrics are served to clients with a token only; name a Secret with one, or set metrics.secure to false" -}}
{{- end -}}
{{- if and (or .Values.metrics.certificate.secretName .Values.metrics.certificate.certManager.enabled) (not (and .Values.metrics.enabled .Values.metrics.secure)) -}}
{{- fail "metrics.certificate: nothing is served with it; set metrics.enabled and metrics.secure, too" -}}
{{- end -}}
{{- range .Values.extraArgs -}}
{{- if regexMatch "^--?watch-label-selector(=|$)" . -}}
{{- fail "extraArgs: set watchLabelSelector instead; the hooks need the selector, too, and would delete the rules of other installations without it" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.uninstall.deleteRules (not .Values.rbac.create) -}}
{{- fail "uninstall.deleteRules: the hook needs a role to delete rules; set rbac.create, too" -}}
{{- end -}}
{{- with .Values.podDisruptionBudget -}}
{{- if and .enabled (eq (kindIs "invalid" .minAvailable) (kindIs "invalid" .maxUnavailable)) -}}
{{- fail "podDisruptionBudget: set either minAvailable or maxUnavailable, and the other one to null" -}}
{{- end -}}
{{- end -}}
{{- end -}}
