package bare

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Marks of a copy, as many and as long as the operator's, so that both write as much.
const (
	Label = "limit.example/owned-by-projection-uid"

	annotationOwner = "limit.example/owned-by-projection"
	annotationHash  = "limit.example/content-hash"

	uid  = "00000000-0000-0000-0000-000000000000"
	hash = "00000000000000000000000000000000"
)

// intent is the body of the copies of a source, in two pieces around the namespace. So it is encoded once per change.
type intent struct{ before, after []byte }

const gap = "the-namespace-goes-here"

// newIntent copies labels, annotations and content. The kinds that are benchmarked need no more care than that.
func newIntent(source *unstructured.Unstructured, rule *rule) (intent, error) {
	copied := map[string]any{}
	for field, value := range source.Object {
		if field != "status" {
			copied[field] = value
		}
	}
	labels, annotations := map[string]string{Label: uid}, map[string]string{annotationOwner: rule.ref, annotationHash: hash}
	maps.Copy(labels, source.GetLabels())
	maps.Copy(annotations, source.GetAnnotations())
	copied["metadata"] = map[string]any{"name": rule.copyName, "namespace": gap, "labels": labels, "annotations": annotations}
	body, err := json.Marshal(copied)
	if err != nil {
		return intent{}, err
	}
	before, after, found := bytes.Cut(body, []byte(gap))
	if !found {
		return intent{}, errors.New("the body has no namespace")
	}
	return intent{before, after}, nil
}

func (i intent) in(namespace string) []byte {
	return slices.Concat(i.before, []byte(namespace), i.after)
}

// sameContent tells whether nothing that is copied differs.
func sameContent(a, b *unstructured.Unstructured) bool {
	return a != nil && a.GetGeneration() != 0 && a.GetGeneration() == b.GetGeneration() && a.GetUID() == b.GetUID() &&
		reflect.DeepEqual(a.GetLabels(), b.GetLabels()) && reflect.DeepEqual(a.GetAnnotations(), b.GetAnnotations())
}
