package mutations

import "projection.sh/operator/primitives/unstructured"

const podTemplateHash = "pod-template-hash"

// stripReplicaSet drops what a Deployment notes on its ReplicaSets, and the hash that tells them apart: from labels,
// selector and template alike, so that they still agree.
func stripReplicaSet(in Input) unstructured.Mutation {
	return strip(StripReplicaSet, in, allocated{
		kind: appsKind("ReplicaSet"),
		annotations: []string{
			revision,
			"deployment.kubernetes.io/revision-history",
			"deployment.kubernetes.io/desired-replicas",
			"deployment.kubernetes.io/max-replicas",
		},
		further: removeTemplateHash,
	})
}

// removeTemplateHash leaves a ReplicaSet alone that would select by nothing else: no Deployment made that one.
func removeTemplateHash(content map[string]any) {
	selector := child(content, specField, "selector")
	others := len(child(selector, "matchLabels")) + len(items(selector, "matchExpressions"))
	if _, selects := child(selector, "matchLabels")[podTemplateHash]; selects {
		others--
	}
	if others == 0 {
		return
	}
	isHash := func(key, _ string) bool { return key == podTemplateHash }
	removeEntries(child(content, metadataField), labelsField, isHash)
	removeEntries(selector, "matchLabels", isHash)
	removeEntries(child(content, specField, "template", metadataField), labelsField, isHash)
}
