package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

const whatToDo = "what differs cannot be changed in place; delete the copy, and it is made anew: "

// TestCopyThatCannotBeChangedStaysWhole points a rule at another source, which its copy cannot become.
func TestCopyThatCannotBeChangedStaysWhole(t *testing.T) {
	tests := map[string]struct {
		first, second string // what two sources consist of
		message       string
	}{
		"an immutable ConfigMap": {
			`apiVersion: v1, kind: ConfigMap, immutable: true, data: {color: red}`, `apiVersion: v1, kind: ConfigMap, immutable: true, data: {color: blue}`,
			"the API server finds the object invalid: data (FieldValueForbidden)",
		},
		"an immutable ConfigMap that is to be none": {
			`apiVersion: v1, kind: ConfigMap, immutable: true, data: {color: red}`, `apiVersion: v1, kind: ConfigMap, data: {color: red}`,
			"the API server finds the object invalid: immutable (FieldValueForbidden)",
		},
		"an immutable Secret": {
			`apiVersion: v1, kind: Secret, immutable: true, stringData: {color: red}`, `apiVersion: v1, kind: Secret, immutable: true, stringData: {color: blue}`,
			"the API server finds the object invalid: data (FieldValueForbidden)",
		},
		"a Secret of another type": {
			`apiVersion: v1, kind: Secret, type: Opaque, stringData: {color: red}`, `apiVersion: v1, kind: Secret, type: example.com/other, stringData: {color: blue}`,
			"the API server finds the object invalid: type (FieldValueInvalid)",
		},
		"a RoleBinding to another role": {
			`apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: one}`,
			`apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: two}`,
			"the API server finds the object invalid: roleRef (FieldValueInvalid)",
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
			assert.Equal(t, whatToDo+test.message, w.says(rule, v1.ReasonDestinationUpdateFailed))
			w.unchanged(whole)

			w.Delete(whole)
			w.Ready(rule)
			made := w.becomes(first, fixture.Anything)
			for _, field := range []string{"data", "type", "immutable", "roleRef"} {
				assert.Equal(t, second.Object[field], made.Object[field], field)
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
	assert.Equal(t, `the object cannot be applied, its source has to be changed: .spec.template.spec.containers[name="c"].env: duplicate entries for key [name="A"]`,
		w.says(rule, v1.ReasonDestinationCreateFailed))
	assert.Nil(t, w.read(source, w.Away, "twice"))

	w.Merge(source, `{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"example.com/c:1","env":[{"name":"A","value":"one"}]}]}}}}`)
	w.Ready(rule)
}
