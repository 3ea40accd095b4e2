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
serviceAccountName: {{ include "projection.fullname" $root }}-{{ index . 1 }}
restartPolicy: Never
{{- include "projection.podSettings" $root | trim | nindent 0 }}
containers:
  - name: {{ index . 1 }}
    {{- include "projection.containerSettings" $root | nindent 4 }}
    args:
      {{- index . 2 | toYaml | nindent 6 }}
    {{- with $root.Values.extraVolumeMounts }}
    volumeMounts:
      {{- toYaml . | nindent 6 }}
    {{- end }}
{{- with $root.Values.extraVolumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
