package mutations

import (
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// stampSource annotates a copy that cannot be changed in place with the uid of its source: a Secret, whose type can be set only once, and
// an immutable ConfigMap. With it, a copy of a source that was replaced can be told from one whose source was edited. Objects of other
// kinds can be more than data, and are left to their owners.
//
// It comes after the content hash: another source with the same content changes no copy.
func stampSource(in Input) unstructured.Mutation {
	secret, configMap := in.Kind == schema.GroupKind{Kind: "Secret"}, in.Kind == schema.GroupKind{Kind: "ConfigMap"}
	gate := feature.NewBooleanGate(in.SourceUID != "" && (secret || configMap))
	return mutation(StampSource, gate, func(content map[string]any) error {
		if immutable, _ := content["immutable"].(bool); configMap && !immutable {
			return nil
		}
		return uns.SetNestedField(content, string(in.SourceUID), metadataField, annotationsField, v1.AnnotationSourceUID)
	})
}
