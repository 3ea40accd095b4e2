{{/* Metadata of an object of a hook. Takes a list of the root, what follows the name, the hook, and the weight. */}}
{{- define "projection.hookMetadata" -}}
{{- $root := index . 0 -}}
{{- $labels := include "projection.labels" $root | fromYaml -}}
name: {{ include "projection.fullname" $root }}-{{ index . 1 }}
labels:
  {{- /* the selectors of the operator's pods do not match these */}}
  {{- merge (dict "app.kubernetes.io/name" (printf "%s-%s" (include "projection.name" $root) (index . 1)) "app.kubernetes.io/component" "hook") $labels | toYaml | nindent 2 }}
annotations:
  helm.sh/hook: {{ index . 2 }}
  helm.sh/hook-weight: {{ index . 3 | quote }}
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* Spec of a hook's pod. Takes a list of the root, what follows the name, and the arguments of the program. */}}
{{- define "projection.hookPod" -}}
{{- $root := index . 0 -}}
{{- with $root.Values -}}
serviceAccountName: {{ include "projection.fullname" $root }}-{{ index $ 1 }}
restartPolicy: Never
{{- with include "projection.imagePullSecrets" $root }}
{{- . | nindent 0 }}
{{- end }}
{{- with .podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ index $ 1 }}
    image: {{ include "projection.image" $root }}
    imagePullPolicy: {{ .image.pullPolicy }}
    args:
      {{- index $ 2 | toYaml | nindent 6 }}
    {{- with .extraEnv }}
    env:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .resources }}
    resources:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .securityContext }}
    securityContext:
      {{- toYaml . | nindent 6 }}
    {{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- end -}}
