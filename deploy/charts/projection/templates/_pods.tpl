{{/* What the pods of the operator and of the hooks have in common. */}}
{{- define "projection.podSettings" -}}
{{- with .Values -}}
{{- if not .serviceAccount.automount }}
automountServiceAccountToken: true
{{- end }}
{{- with include "projection.imagePullSecrets" $ }}
{{- . | nindent 0 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- if not (kindIs "invalid" .hostUsers) }}
hostUsers: {{ .hostUsers }}
{{- end }}
{{- with .dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with .dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* What the containers of the operator and of the hooks have in common, except their mounts. */}}
{{- define "projection.containerSettings" -}}
{{- with .Values -}}
image: {{ include "projection.image" $ }}
imagePullPolicy: {{ .image.pullPolicy }}
{{- with .extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- end -}}
