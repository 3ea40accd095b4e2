package hostile_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestCopyThatCannotBeChangedStaysWhole points a rule at another source, which its copy cannot become.
func TestCopyThatCannotBeChangedStaysWhole(t *testing.T) {
	tests := map[string]struct {
		first, second string // what two sources consist of
		message       string
	}{
		"a RoleBinding to another role": {
			`apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: one}`,
			`apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: two}`,
			"the object is invalid: roleRef (FieldValueInvalid)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := func(name, content string) *unstructured.Unstructured {
				return w.Create(`{metadata: {namespace: $HOME, name: ` + name + `, annotations: {projection.sh/projectable: "true"}}, ` + content + `}`)
			}
			first, second := source("first", test.first), source("second", test.second)
			rule := w.project(first, func(rule *v1.Projection) { rule.Spec.Destination.Name = "first" })
			w.Ready(rule)
			whole := w.becomes(first, fixture.Anything)

			w.Merge(rule, `{"spec":{"source":{"name":"second"}}}`)
			assert.Equal(t, "RoleBinding "+w.Away+"/first: the copy cannot be updated and keeps its old content; "+
				"an immutable field differs; to recreate the copy, run kubectl -n "+w.Away+" delete rolebindings.rbac.authorization.k8s.io first ("+
				test.message+")", w.says(rule, v1.ReasonDestinationUpdateFailed))
			w.unchanged(whole)

			w.Delete(whole)
			w.Ready(rule)
			made := w.becomes(first, fixture.Anything)
			assert.Equal(t, second.Object["roleRef"], made.Object["roleRef"])
		})
	}
}

// TestCopyOfASourceThatIsReplacedAtOnceIsReplaced replaces sources as kubectl replace --force does. The operator may or may not see that
// the source is gone for a moment, and may look at any time.
func TestCopyOfASourceThatIsReplacedAtOnceIsReplaced(t *testing.T) {
	tests := map[string][]string{
		"an immutable ConfigMap": {
			`apiVersion: v1, kind: ConfigMap, immutable: true, data: {color: red}`, `apiVersion: v1, kind: ConfigMap, immutable: true, data: {color: blue}`,
			`apiVersion: v1, kind: ConfigMap, data: {color: green}`,
		},
		"an immutable Secret": {
			`apiVersion: v1, kind: Secret, immutable: true, data: {color: cmVk}`, `apiVersion: v1, kind: Secret, immutable: true, data: {color: Ymx1ZQ==}`,
			`apiVersion: v1, kind: Secret, immutable: true, data: {color: Z3JlZW4=}`,
		},
		"a Secret of another type": {
			`apiVersion: v1, kind: Secret, type: Opaque, data: {color: cmVk}`, `apiVersion: v1, kind: Secret, type: example.com/other, data: {color: cmVk}`,
			`apiVersion: v1, kind: Secret, type: example.com/third, data: {color: cmVk}`,
		},
	}
	for name, contents := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			var rule *v1.Projection
			for _, content := range contents {
				source := w.Object(`{metadata: {namespace: $HOME, name: settings, annotations: {projection.sh/projectable: "true"}}, ` + content + `}`)
				if rule != nil {
					w.Delete(source)
				}
				require.NoError(t, w.Client.Create(t.Context(), source))
				if rule == nil {
					rule = w.project(source)
				}
				w.becomes(source, func(o *unstructured.Unstructured) bool {
					return reflect.DeepEqual(o.Object["data"], source.Object["data"]) && reflect.DeepEqual(o.Object["type"], source.Object["type"])
				})
				w.Ready(rule)
			}
		})
	}
}

func TestImmutableSourceIsCopiedAndReplaced(t *testing.T) {
	w := newWorld(t)
	manifest := func(color string) string {
		return configMap + "immutable: true\nbinaryData: {color2: " + color + "}\n"
	}
	source := w.Create(manifest("cmVk"))
	rule := w.project(source)
	w.Ready(rule)
	copied := w.becomes(source, func(o *unstructured.Unstructured) bool { return o.Object["immutable"] == true })

	w.Delete(source)
	w.says(rule, v1.ReasonSourceDeleted)
	w.Gone(copied)
	w.Create(manifest("Ymx1ZQ=="))
	w.Ready(rule)
	again := w.becomes(source, fixture.Anything)
	value, _, _ := unstructured.NestedString(again.Object, "binaryData", "color2")
	assert.Equal(t, "Ymx1ZQ==", value)
}

func TestListThatHasTheSameKeyTwiceCannotBeApplied(t *testing.T) {
	w := newWorld(t)
	const template = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: twice, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  selector: {matchLabels: {app: twice}}
  template:
    metadata: {labels: {app: twice}}
    spec: {containers: [{name: c, image: "example.com/c:1", env: [{name: A, value: one}, {name: A, value: two}]}]}
`
	source := w.Create(template)
	rule := w.project(source)
	assert.Equal(t, "Deployment "+w.Away+"/twice: the copy cannot be created; correct the source or this rule "+
		`(server-side apply rejects the content of the source: .spec.template.spec.containers[name="c"].env: duplicate entries for key [name="A"])`,
		w.says(rule, v1.ReasonDestinationCreateFailed))
	assert.Nil(t, w.read(source, w.Away, "twice"))

	w.Merge(source, `{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"example.com/c:1","env":[{"name":"A","value":"one"}]}]}}}}`)
	w.Ready(rule)
}
