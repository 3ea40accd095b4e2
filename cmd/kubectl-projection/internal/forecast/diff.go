package forecast

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/apierr"
)

// unknownContent stands for what the caller may not read.
const unknownContent = "?"

// AddDiffs adds to each change of a copy how the object changes.
func (f *Forecaster) AddDiffs(ctx context.Context, rule access.Rule, changes []Change) error {
	return eachWrite(ctx, changes, func(ctx context.Context, change *Change) error {
		after, err := change.wished.object()
		if err != nil { // the change says so
			return nil //nolint:nilerr // there is nothing to compare
		}
		before := &unstructured.Unstructured{}
		if change.Action != Create {
			at, resource := change.wished.desired.At, change.wished.kind.GroupVersionResource()
			before, err = f.cluster.Content.Resource(resource).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
		}
		switch {
		case access.IsUnknown(err):
			change.Diff = unknownContent + " you may not read " + change.Copy.String() + "\n"
			return nil
		case err != nil && !apierrors.IsNotFound(err):
			return apierr.Redact(change.wished.kind.GroupVersionResource().GroupResource(), err)
		case err != nil:
			before = &unstructured.Unstructured{}
		}
		change.Diff, err = difference(rule, change.wished, before, after)
		return err
	})
}

// difference returns how the object changes. Fields of others, which stay, are left out.
func difference(rule access.Rule, wished *wish, before, after *unstructured.Unstructured) (string, error) {
	concerned, _ := concernedOf(before.Object, after.Object, ownedBy(rule.FieldManager(), before)).(map[string]any)
	wanted := after.DeepCopy().Object
	for _, object := range []map[string]any{concerned, wanted} {
		for _, key := range []string{v1.AnnotationContentHash, corev1.LastAppliedConfigAnnotation} {
			unstructured.RemoveNestedField(object, "metadata", "annotations", key)
		}
	}
	if wished.isSecret() {
		maskChange(concerned, wanted)
	}
	from, err := textOf(concerned)
	if err != nil {
		return "", err
	}
	to, err := textOf(wanted)
	if err != nil {
		return "", err
	}
	name := ObjectOf(wished.kind.GroupKind(), wished.desired.At).String()
	return difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: from, B: to, FromFile: name + " now", ToFile: name + " planned", Context: 3,
	})
}

// textOf returns the object as lines of YAML.
func textOf(object map[string]any) ([]string, error) {
	if len(object) == 0 {
		return nil, nil
	}
	text, err := yaml.Marshal(object)
	return slices.Collect(strings.Lines(string(text))), err
}

// ownedBy returns the fields that the field manager has applied, as managed fields have them.
func ownedBy(manager string, object *unstructured.Unstructured) map[string]any {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.FieldsV1 != nil {
			owned := map[string]any{}
			if err := yaml.Unmarshal(entry.FieldsV1.GetRawBytes(), &owned); err == nil {
				return owned
			}
		}
	}
	return nil
}

// concernedOf returns what a write concerns of an object: the fields that it sets, and those that it removes, because the writer owns them.
func concernedOf(before, after any, owned map[string]any) any {
	fields, isMap := before.(map[string]any)
	wanted, isWantedMap := after.(map[string]any)
	if !isMap || !isWantedMap && len(owned) == 0 {
		return before
	}
	concerned := map[string]any{}
	for key, value := range fields {
		inner, isSet := wanted[key]
		below, isOwned := owned["f:"+key].(map[string]any)
		if isSet || isOwned {
			concerned[key] = concernedOf(value, inner, below)
		}
	}
	return concerned
}

// maskChange masks the values of a Secret in both objects, so that one can see which of them differ.
func maskChange(before, after map[string]any) {
	hiddenBefore, hiddenAfter := maps.Clone(before), maps.Clone(after)
	for _, field := range shown {
		delete(hiddenBefore, field)
		delete(hiddenAfter, field)
	}
	maskValues(hiddenBefore, hiddenAfter)
	maps.Copy(before, hiddenBefore)
	maps.Copy(after, hiddenAfter)
}

func maskValues(before, after map[string]any) {
	for key, value := range after {
		former, existed := before[key]
		formerFields, wasMap := former.(map[string]any)
		fields, isMap := value.(map[string]any)
		switch {
		case isMap && wasMap:
			maskValues(formerFields, fields)
		case existed && reflect.DeepEqual(former, value):
			before[key], after[key] = Masked, Masked
		case existed:
			before[key], after[key] = Masked+" (before)", Masked+" (after)"
		default:
			after[key] = masked(value)
		}
	}
	for key, value := range before {
		if _, stays := after[key]; !stays {
			before[key] = masked(value)
		}
	}
}
