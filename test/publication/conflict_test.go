package publication_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// inHome has copies be in the namespace of the test, by the names of the objects.
func (p *publishing) inHome(spec *v1alpha1.PublishedResourceSpec) {
	spec.Naming.Namespace, spec.Naming.Name = "'"+p.Home+"'", "object.spec.issuer"
}

// TestFirstComeFirstServed has two objects want one place.
func TestFirstComeFirstServed(t *testing.T) {
	p := newPublishing(t)
	p.publish(p.inHome)
	first := p.create("first", `{issuer: same}`)
	copied := p.copyOf(first, anything)
	second := p.create("second", `{issuer: same}`)
	note := p.tells(second, v1alpha1.ReasonNameConflict)
	assert.Contains(t, note, p.Home+"/same, which exists: it is the copy of "+p.there.Home+"/first; it is left alone")
	resource := p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonNameConflict)
	assert.Equal(t, "second", resource.Status.Failures[0].Name)
	assert.Len(t, p.copies(first), 1)
	p.delete(first)
	again := p.copyOf(second, anything)
	assert.NotEqual(t, copied.GetUID(), again.GetUID())
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}

// foreign creates an object of the service in the place of a copy.
func (p *publishing) foreign(annotations map[string]string) *unstructured.Unstructured {
	p.T.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": p.group + "/v1", "kind": "Certificate", "spec": map[string]any{"issuer": "theirs", "days": int64(5)},
	}}
	object.SetNamespace(p.Home)
	object.SetName("theirs")
	object.SetAnnotations(annotations)
	created, err := p.service.Resource(p.serviceKind()).Namespace(p.Home).Create(p.T.Context(), object, metav1.CreateOptions{})
	require.NoError(p.T, err)
	return created
}

// TestForeignObjectIsLeftAlone has an object be in the place of a copy, which nobody may adopt.
func TestForeignObjectIsLeftAlone(t *testing.T) {
	p := newPublishing(t)
	foreign := p.foreign(map[string]string{v1.AnnotationAdoptableBy: p.name})
	p.publish(p.inHome)
	object := p.create("www", `{issuer: theirs, days: 90}`)
	p.tells(object, v1alpha1.ReasonNameConflict)
	p.says(v1alpha1.ConditionStalled, v1alpha1.ReasonNameConflict)
	p.settle()
	assert.Equal(t, foreign.GetResourceVersion(), p.eventually(foreign, anything).GetResourceVersion())
	p.delete(object)
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
	assert.Equal(t, foreign.GetResourceVersion(), p.eventually(foreign, anything).GetResourceVersion())
}

// TestForeignObjectIsAdopted has the object permit it, or be what the copy would be.
func TestForeignObjectIsAdopted(t *testing.T) {
	for name, test := range map[string]struct {
		policy  v1alpha1.AdoptionPolicy
		allowed bool
		spec    string
		adopted bool
	}{
		"allowed":       {v1alpha1.AdoptIfAllowed, true, `{issuer: theirs, days: 90}`, true},
		"not allowed":   {v1alpha1.AdoptIfAllowed, false, `{issuer: theirs, days: 90}`, false},
		"identical":     {v1alpha1.AdoptIfIdentical, false, `{issuer: theirs, days: 5}`, true},
		"not identical": {v1alpha1.AdoptIfIdentical, true, `{issuer: theirs, days: 90}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPublishing(t)
			annotations := map[string]string{}
			if test.allowed {
				annotations[v1.AnnotationAdoptableBy] = p.name
			}
			foreign := p.foreign(annotations)
			p.publish(p.inHome, func(spec *v1alpha1.PublishedResourceSpec) { spec.Adoption.Policy = test.policy })
			object := p.create("www", test.spec)
			if test.adopted {
				assert.Equal(t, foreign.GetUID(), p.copyOf(object, anything).GetUID())
				return
			}
			p.tells(object, v1alpha1.ReasonNameConflict)
			assert.Empty(t, p.copies(object))
		})
	}
}

// TestStatusConflictIsToldAndNotFought has a client of the consumer set a field of the status, too.
func TestStatusConflictIsToldAndNotFought(t *testing.T) {
	p := newPublishing(t)
	p.publish()
	object := p.create("www", `{days: 90}`)
	copied := p.copyOf(object, anything)
	_, err := p.at(object).Patch(t.Context(), object.GetName(), types.ApplyPatchType, []byte(`{"apiVersion": "`+p.offered+`/v1", "kind": "Certificate", "status": {"phase": "Mine"}}`),
		metav1.PatchOptions{FieldManager: "their-controller"}, "status")
	require.NoError(t, err)
	p.patch(copied, `{"status": {"phase": "Issued", "serial": 7}}`, "status")
	seen := p.eventually(object, has(int64(7), "status", "serial"))
	assert.True(t, has("Mine", "status", "phase")(seen))
	assert.Contains(t, p.tells(object, v1alpha1.ReasonStatusConflict), "the field status.phase of its status is set by their-controller")
	p.says(v1alpha1.ConditionSynced, v1alpha1.ReasonStatusConflict)

	p.edit(func(spec *v1alpha1.PublishedResourceSpec) { spec.Status.Conflict = v1alpha1.StatusConflictOverwrite })
	p.patch(copied, `{"status": {"serial": 8}}`, "status")
	p.eventually(object, has("Issued", "status", "phase"))
	p.says(v1alpha1.ConditionReady, v1alpha1.ReasonSynced)
}
