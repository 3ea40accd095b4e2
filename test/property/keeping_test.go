package property_test

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// keeping returns the sources of the rules whose copies keep their content, by the field managers of the rules.
func keeping(state oracle.State) map[string]string {
	sources := map[string]string{}
	for _, rule := range state.Rules {
		var spec v1.ProjectionSpec
		switch r := rule.(type) {
		case *v1.Projection:
			spec = r.Spec
		case *v1.ClusterProjection:
			spec.Policy, spec.Source, spec.Merge = r.Spec.Policy, r.Spec.Source, r.Spec.Merge
		}
		if spec.Policy.Updates == v1.UpdateCreateOnly {
			name := spec.Source.Name
			if spec.Merge != nil && spec.Source.Selector != nil {
				name = "*"
			}
			sources[fieldManager(rule)] = spec.Source.GroupKind().String() + "/" + spec.Source.Namespace + "/" + name
		}
	}
	return sources
}

// overwritten returns what the operator has written of the content of a copy that keeps it: its field manager owns more than before. Others only
// take fields from it, and marks are restored by another operation. A copy with keys of a layer that is opted out is written without it.
func overwritten(keeping map[string]string, before, after *unstructured.Unstructured) []string {
	manager := maker(after)
	source, keeps := keeping[manager]
	annotations := before.GetAnnotations()
	isSame := annotations[v1.AnnotationSource] == source && annotations[v1.AnnotationLayers] == after.GetAnnotations()[v1.AnnotationLayers] && annotations[v1.AnnotationSourceUID] == after.GetAnnotations()[v1.AnnotationSourceUID]
	if !keeps || !isSame {
		return nil
	}
	taken := appliedBy(after, manager).Difference(appliedBy(before, manager))
	if taken.Empty() {
		return nil
	}
	return []string{fmt.Sprintf("%s has written a copy that keeps its content: %s %s", manager, oracle.PlaceOf(after), taken)}
}

// appliedBy returns the fields that the manager has applied, and nobody has changed since.
func appliedBy(object *unstructured.Unstructured, manager string) *fieldpath.Set {
	set := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == "Apply" && entry.FieldsV1 != nil {
			if err := set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
				panic(err)
			}
		}
	}
	return set
}
