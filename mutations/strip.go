package mutations

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// allocated says what the API server and controllers put into an object of a kind that belongs to that object alone.
type allocated struct {
	kind        schema.GroupKind
	labels      []string
	annotations []string
	fields      [][]string
	// further drops what no list can name; nil for most kinds.
	further func(content map[string]any)
}

// strip drops what is allocated from objects of its kind.
func strip(name string, in Input, from allocated) unstructured.Mutation {
	return mutation(name, onlyFor(in, from.kind), func(content map[string]any) error {
		metadata := child(content, metadataField)
		removeKeys(metadata, labelsField, from.labels)
		removeKeys(metadata, annotationsField, from.annotations)
		for _, path := range from.fields {
			remove(content, path...)
		}
		if from.further != nil {
			from.further(content)
		}
		return nil
	})
}

func removeKeys(metadata map[string]any, field string, keys []string) {
	removeEntries(metadata, field, func(key, _ string) bool { return slices.Contains(keys, key) })
}

func appsKind(kind string) schema.GroupKind { return schema.GroupKind{Group: "apps", Kind: kind} }

func onlyFor(in Input, kind schema.GroupKind) feature.Gate {
	return feature.NewBooleanGate(in.Kind == kind)
}

// since is open for a kind on API servers of at least the version, which is <major>.<minor>.
func since(version string, in Input, kind schema.GroupKind) feature.Gate {
	var constraints []feature.VersionConstraint
	if in.ServerVersion != "" {
		constraints = append(constraints, feature.MustConstraint(">= "+version))
	}
	return feature.NewVersionGate(in.ServerVersion, constraints).When(in.Kind == kind)
}
