package mutations

import "projection.sh/operator/primitives/unstructured"

// stripDaemonSet drops the generation of the template, a counter of the API server that it shows as an annotation.
func stripDaemonSet(in Input) unstructured.Mutation {
	return strip(StripDaemonSet, in, allocated{
		kind:        appsKind("DaemonSet"),
		annotations: []string{"deprecated.daemonset.template.generation"},
	})
}
