package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/mutations/paths"
)

func parsed(t *testing.T, text string) (value map[string]any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &value))
	return value
}

func TestContains(t *testing.T) {
	for _, test := range []struct {
		object, part string
		contains     bool
	}{
		{`{a: 1, b: {c: x}}`, `{a: 1}`, true},
		{`{a: 1, b: {c: x, d: y}}`, `{b: {d: y}}`, true},
		{`{a: 1}`, `{a: 2}`, false},
		{`{a: 1}`, `{b: 1}`, false},
		{`{a: [{b: 1, c: 2}]}`, `{a: [{b: 1}]}`, true},
		{`{a: [1, 2]}`, `{a: [1]}`, false},
		{`{a: x}`, `{a: {b: c}}`, false},
		{`{}`, `{a: null}`, false},
	} {
		assert.Equal(t, test.contains, contains(parsed(t, test.object), parsed(t, test.part)), "%s in %s", test.part, test.object)
	}
}

func TestStatusThatTheOperatorHasWritten(t *testing.T) {
	for _, test := range []struct {
		owned, present, status string
		same                   bool
	}{
		{`{}`, `{}`, `{}`, true},
		{`{}`, `{theirs: 1}`, `{}`, true},
		{`{"f:a": {}}`, `{a: 1}`, `{a: 1}`, true},
		{`{"f:a": {}}`, `{a: 1}`, `{a: 2}`, false},
		{`{"f:a": {}}`, `{a: 1}`, `{}`, false},
		{`{"f:a": {}, "f:b": {}}`, `{a: 1, b: 2}`, `{a: 1}`, false},
		{`{"f:a": {"f:b": {}, "f:c": {}}}`, `{a: {b: 1, c: 2}}`, `{a: {b: 1}}`, false},
		{`{"f:a": {"f:b": {}, "f:c": {}}}`, `{a: {b: 1, c: 2}}`, `{a: {b: 1, c: 2}}`, true},
		{`{"f:a": {"k:{\"type\":\"Ready\"}": {".": {}, "f:type": {}}}}`, `{a: [{type: Ready}]}`, `{a: [{type: Ready}]}`, true},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{statusField: any(parsed(t, test.present))}}
		object.SetManagedFields([]metav1.ManagedFieldsEntry{
			{Manager: "theirs", Subresource: statusField, FieldsV1: metav1.NewFieldsV1(`{"f:status": {"f:theirs": {}}}`)},
			{Manager: fieldManager, Subresource: statusField, FieldsV1: metav1.NewFieldsV1(`{"f:status": ` + test.owned + `}`)},
		})
		assert.Equal(t, test.same, hasStatus(object, parsed(t, test.status)), "%+v", test)
	}
	assert.False(t, hasStatus(nil, map[string]any{"a": 1}), "it was not read")
}

func TestNamesOfRelatedObjects(t *testing.T) {
	object := parsed(t, `{spec: {secretName: tls, list: [{name: a, kind: x}, {name: b}, {}], texts: [c, d], number: 1, empty: ""}}`)
	for path, want := range map[string][]string{
		"spec.secretName": {"tls"}, "spec.list[*].name": {"a", "b"}, "spec.list[kind=x].name": {"a"}, "spec.texts": {"c", "d"},
		"spec.texts[*]": {"c", "d"}, "spec.number": nil, "spec.empty": nil, "spec.nothing": nil, "spec.secretName.below": nil,
	} {
		steps, err := paths.Parse(path)
		require.NoError(t, err)
		assert.Equal(t, want, stringsAt(object, steps), path)
	}
}

func TestConflictsOfAStatus(t *testing.T) {
	err := &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonConflict, Code: 409, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "their-controller" with subresource "status" using v1`, Field: ".status.phase"},
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "other" using v1`, Field: `.status.conditions[type="Ready"].status`},
	}}}}
	assert.Equal(t, []conflict{
		{"other", `status.conditions[type="Ready"].status`, []string{"status", "conditions"}},
		{"their-controller", "status.phase", []string{"status", "phase"}},
	}, conflictsIn(err))
	assert.Empty(t, conflictsIn(apierrors.NewConflict(definitions.GroupResource(), "a", nil)), "that of a precondition")
}
