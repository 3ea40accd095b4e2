{{- define "projection.args" -}}
- --source-mode={{ .Values.sourceMode }}
{{- with .Values.defaultServiceAccount }}
- --default-service-account={{ . }}
{{- end }}
{{- if .Values.requireServiceAccount }}
- --require-service-account
{{- end }}
- --requeue-interval={{ .Values.requeueInterval }}
- --max-concurrent-reconciles={{ .Values.maxConcurrentReconciles }}
- --selector-write-concurrency={{ .Values.selectorWriteConcurrency }}
- --selector-excluded-namespaces={{ join "," .Values.selectorExcludedNamespaces }}
{{- with .Values.watchLabelSelector }}
- {{ printf "--watch-label-selector=%s" . | quote }}
{{- end }}
{{- if .Values.remoteClusters.enabled }}
- --remote-clusters
{{- with .Values.remoteClusters.hubID }}
- --hub-id={{ . }}
{{- end }}
{{- end }}
- --leader-elect={{ .Values.leaderElection.enabled }}
{{- if .Values.leaderElection.enabled }}
- --leader-election-lease-duration={{ .Values.leaderElection.leaseDuration }}
{{- end }}
- --metrics-bind-address={{ .Values.metrics.enabled | ternary (printf ":%d" (int .Values.metrics.port)) "0" }}
{{- if .Values.metrics.enabled }}
- --metrics-secure={{ .Values.metrics.secure }}
{{- if include "projection.metricsSecret" . }}
- --metrics-cert-dir=/var/run/projection/metrics
{{- end }}
{{- end }}
- --health-probe-bind-address=:8081
- --zap-log-level={{ .Values.logging.level }}
- --zap-encoder={{ .Values.logging.format }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}
