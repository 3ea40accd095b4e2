{{/* How Prometheus scrapes a pod, for a ServiceMonitor or a PodMonitor. Takes a list of the root and the monitor's values. */}}
{{- define "projection.endpoint" -}}
{{- $root := first . -}}
{{- $monitor := last . -}}
- port: metrics
  path: /metrics
  {{- with $monitor.interval }}
  interval: {{ . }}
  {{- end }}
  {{- with $monitor.scrapeTimeout }}
  scrapeTimeout: {{ . }}
  {{- end }}
  {{- if $monitor.honorLabels }}
  honorLabels: true
  {{- end }}
  {{- with $monitor.relabelings }}
  relabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $monitor.metricRelabelings }}
  metricRelabelings:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* How Prometheus verifies the certificate of the metrics. */}}
{{- define "projection.tlsConfig" -}}
{{- with include "projection.metricsSecret" . -}}
ca:
  secret:
    name: {{ . }}
    key: ca.crt
serverName: {{ include "projection.metricsHost" $ }}
{{- else -}}
insecureSkipVerify: true # the operator signs its own certificate
{{- end -}}
{{- end -}}

{{/* The name of the Service of the metrics, which their certificate has to be for. */}}
{{- define "projection.metricsHost" -}}
{{ include "projection.fullname" . }}-metrics.{{ include "projection.namespace" . }}.svc
{{- end -}}
