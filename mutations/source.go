package mutations

import (
	"slices"
	"strings"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// stampSource annotates the copy with the name of its source and of the layers that are merged with it, so that whoever finds the copy finds
// these. A copy that cannot be changed in place is annotated with the uid of the source, too: then a copy of a source that was replaced can be
// told from one whose source was edited.
//
// It comes after the content hash: copies without these annotations stay as they are, and another source with the same content
// changes no uid.
func stampSource(in Input) unstructured.Mutation {
	named := in.Source.Name != ""
	gate := feature.NewBooleanGate(named || in.SourceUID != "")
	return mutation(StampSource, gate, func(content map[string]any) error {
		if named {
			source := SourceName(in.SourceCluster, in.Kind, in.Source)
			if err := uns.SetNestedField(content, source, metadataField, annotationsField, v1.AnnotationSource); err != nil {
				return err
			}
			if err := stampLayers(content, in.Merge); err != nil {
				return err
			}
		}
		if in.SourceUID == "" || !isReplaced(in.KindOfCopies(), content) {
			remove(content, metadataField, annotationsField, v1.AnnotationSourceUID) // a value may have made the copy mutable
			return nil
		}
		return uns.SetNestedField(content, string(in.SourceUID), metadataField, annotationsField, v1.AnnotationSourceUID)
	})
}

// SourceName names an object as copies name their source: as <Kind>[.<group>]/<namespace>/<name>, behind <cluster>: if it is in another cluster.
func SourceName(cluster string, kind schema.GroupKind, object types.NamespacedName) string {
	name := kind.String() + "/" + object.String()
	if cluster == "" {
		return name
	}
	return cluster + ":" + name
}

// stampLayers annotates the copy with the names of the objects whose keys were laid to those of the source, each once.
func stampLayers(content map[string]any, merge Merge) error {
	if len(merge.Layers) == 0 && !merge.Named {
		return nil
	}
	names := make([]string, 0, len(merge.Layers))
	for _, layer := range merge.Layers {
		if name := layer.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = append(names, NoLayers)
	}
	return uns.SetNestedField(content, strings.Join(names, ","), metadataField, annotationsField, v1.AnnotationLayers)
}

// The kinds of objects that are nothing but data.
var (
	configMap = schema.GroupKind{Kind: "ConfigMap"}
	secret    = schema.GroupKind{Kind: "Secret"}
)

// IsReplaceable reports whether an object of the kind is nothing but data, so that a copy that cannot be changed in place may be deleted
// and created again.
func IsReplaceable(kind schema.GroupKind) bool {
	return kind == secret || kind == configMap
}

// isReplaced reports whether the copy is replaced with its source, since it cannot be changed in place: a Secret, whose type can be set
// only once, and an immutable ConfigMap. Objects of other kinds can be more than data, and are left to their owners.
func isReplaced(kind schema.GroupKind, content map[string]any) bool {
	immutable, _ := content["immutable"].(bool)
	return IsReplaceable(kind) && (kind == secret || immutable)
}
