{{/* The RBAC rules of the operator. Those for the copied kinds come last. */}}
{{- define "projection.rules" -}}
- apiGroups: [projection.sh]
  resources: [projections, clusterprojections]
  verbs: [get, list, watch, patch]
- apiGroups: [projection.sh]
  resources: [projections/status, clusterprojections/status]
  verbs: [update]
- apiGroups: [projection.sh]
  resources: [projections, clusterprojections]
  verbs: [own]
{{- if .Values.remoteClusters.enabled }}
- apiGroups: [projection.sh]
  resources: [remoteclusters]
  verbs: [get, list, watch, patch]
- apiGroups: [projection.sh]
  resources: [remoteclusters/status]
  verbs: [update]
- apiGroups: [projection.sh]
  resources: [publishedresources]
  verbs: [list, watch, patch]
- apiGroups: [projection.sh]
  resources: [publishedresources/status]
  verbs: [update]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [remoteclusters.projection.sh]
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [namespaces]
  verbs: [list, watch]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  verbs: [list, watch]
- apiGroups: [apiextensions.k8s.io]
  resources: [customresourcedefinitions]
  resourceNames: [projections.projection.sh, clusterprojections.projection.sh]
  verbs: [get]
- apiGroups: [apiregistration.k8s.io]
  resources: [apiservices]
  verbs: [list]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- if and .Values.metrics.enabled .Values.metrics.secure }}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
- apiGroups: [authorization.k8s.io]
  resources: [subjectaccessreviews]
  verbs: [create]
{{- end }}
{{- with compact (append .Values.impersonation.serviceAccounts .Values.defaultServiceAccount) | uniq }}
- apiGroups: [""]
  resources: [serviceaccounts]
  {{- if not (has "*" .) }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [impersonate]
{{- end }}
{{- $kinds := .Values.supportedKinds }}
{{- if kindIs "invalid" $kinds }}
{{- $kinds = list (dict "apiGroup" "*" "resources" (list "*")) }}
{{- end }}
{{- range $kinds }}
- apiGroups: [{{ .apiGroup | quote }}]
  resources: {{ .resources | toJson }}
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
{{- end -}}
