package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

var whole = map[string]string{"color": "red", "size": "1", "shape": "round"}

// whileSuspended does something while the rule is suspended that the operator has seen when the rule is resumed.
func (w *world) whileSuspended(rule client.Object, do ...func()) {
	w.T.Helper()
	w.settles()
	w.Merge(rule, `{"spec":{"suspend":true}}`)
	for _, next := range append([]func(){w.settles}, do...) {
		next()
		w.settles()
	}
	w.Merge(rule, `{"spec":{"suspend":false}}`)
}

// TestLayerThatIsOptedOutWhileItsRuleIsSuspended opts a layer out and, in some cases, deletes it, before the rule is resumed.
func TestLayerThatIsOptedOutWhileItsRuleIsSuspended(t *testing.T) {
	for name, test := range map[string]struct {
		layer   string
		updates v1.UpdatePolicy
		deleted bool
		left    map[string]string // of the copy; nil: it is deleted
	}{
		"required, and deleted": {"second", "", true, nil},
		"required":              {"second", "", false, nil},
		"optional":              {"second?", "", false, map[string]string{"color": "red", "size": "1"}},
		"optional, and deleted, of a copy that keeps": {"second?", v1.UpdateCreateOnly, true, map[string]string{"color": "red", "size": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
			rule := w.Project("merged", source, w.merging("", test.layer), func(rule *v1.Projection) { rule.Spec.Policy.Updates = test.updates })
			w.Ready(rule)
			steps := []func(){func() { w.Merge(layer, optOut) }, func() { w.has("merged", whole) }}
			if test.deleted {
				steps = append(steps, func() { w.Delete(layer) })
			}
			w.whileSuspended(rule, steps...)
			if test.left == nil {
				w.gone(ofKind("ConfigMap"), w.Away, "merged")
			} else {
				w.has("merged", test.left)
			}
		})
	}
}

// The opt-out and the deletion come at once.
func TestMergeOptedOutAndDeletedAtOnce(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"))
	w.Ready(rule)
	w.settles()
	w.Merge(layer, optOut)
	w.Delete(layer)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// A layer leaves the rule together with an edit that cannot be carried out: nobody asks its owner.
func TestMergeRemovedLayerOptsOut(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"))
	w.Ready(rule)
	w.settles()
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"nothing"}]}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.Merge(layer, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// CreateOnly, the annotation is taken off the copy, the optional layer is opted out.
func TestMergeCreateOnlyAnnotationRemoved(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second?"), func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.Ready(rule)
	copied := w.has("merged", whole)
	w.Merge(copied, `{"metadata":{"annotations":{"projection.sh/layers":null}}}`)
	w.settles()
	w.Merge(layer, optOut)
	w.has("merged", map[string]string{"color": "red", "size": "1"})
}

// A rule gets a merge while its source is deleted and its copies are kept.
func TestMergeMergeAddedWhileSourceIsGone(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, func(rule *v1.Projection) { rule.Spec.Destination.Name = "merged" }, retaining(v1.RetainSourceGone))
	w.Ready(rule)
	w.Delete(source)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
	w.settles()
	w.has("merged", map[string]string{"color": "red", "size": "1"})
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"second"}]}}}`)
	w.settles()
	w.has("merged", map[string]string{"color": "red", "size": "1"})
}

// CreateOnly keeps keys of an optional layer that was deleted; the rule retains copies when it is deleted.
func TestMergeRetainAfterOptionalLayerWasDeleted(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second?"), retaining(v1.RetainRuleDeleted), func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.Ready(rule)
	w.settles()
	w.Delete(layer)
	w.settles()
	w.has("merged", whole)
	w.Delete(rule)
	w.Gone(rule)
	left := w.has("merged", whole)
	assert.Empty(t, left.GetAnnotations())
}

// The copy does not name its source any more, and another layer is missing.
func TestMergeSourceAnnotationRemoved(t *testing.T) {
	w := newWorld(t)
	source, layer, third := w.Apply(configMap), w.layer("second", `{shape: round}`), w.layer("third", `{other: "1"}`)
	rule := w.Project("merged", source, w.merging("", "second?", "third"))
	w.Ready(rule)
	copied := w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "other": "1"})
	w.Merge(copied, `{"metadata":{"annotations":{"projection.sh/source":null}}}`)
	w.settles()
	w.Delete(third)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.Merge(layer, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// An immutable source with a layer that changes.
func TestMergeImmutableSourceWithLayers(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, immutable: true, data: {color: red}}`)
	layer := w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"))
	w.Ready(rule)
	w.has("merged", map[string]string{"color": "red", "shape": "round"})
	w.Merge(layer, `{"data":{"shape":"square"}}`)
	w.settles()
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationUpdateFailed)
	// the layer leaves the rule: its content must go, and nobody asks its owner any more
	w.Merge(rule, `{"spec":{"merge":null}}`)
	w.settles()
	w.Merge(layer, optOut)
	w.has("merged", map[string]string{"color": "red"})
}

// Naming the rule's own copy as a layer.
func TestMergeOwnCopyAsLayer(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("merged", source, func(rule *v1.Projection) { rule.Spec.Destination.Name = "merged" })
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"merge":{"onKeyConflict":"Last","layers":[{"namespace":"`+w.Away+`","name":"merged"}]}}}`)
	w.settles()
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
	assert.Contains(t, said.Message, "is a copy of this rule")
	w.has("merged", map[string]string{"color": "red", "size": "1"})
}

// An optional layer that is vetoed: the copy is patched, not deleted and created.
func TestMergeVetoedOptionalLayerPatches(t *testing.T) {
	for name, updates := range map[string]v1.UpdatePolicy{"Follow": "", "CreateOnly": v1.UpdateCreateOnly} {
		for retains, causes := range map[string][]v1.RetainCause{"none": nil, "all": {v1.RetainRuleDeleted, v1.RetainSourceGone}} {
			t.Run(name+retains, func(t *testing.T) {
				w := newWorld(t)
				source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
				rule := w.Project("merged", source, w.merging("", "second?"), func(rule *v1.Projection) { rule.Spec.Policy.Updates = updates; rule.Spec.Policy.Retain = causes })
				w.Ready(rule)
				before := w.has("merged", whole)
				w.settles()
				requests := w.requestsOf(func() {
					w.Merge(layer, optOut)
					w.has("merged", map[string]string{"color": "red", "size": "1"})
					w.settles()
				})
				assert.Equal(t, before.GetUID(), w.has("merged", map[string]string{"color": "red", "size": "1"}).GetUID())
				assert.Zero(t, count(requests, "delete", "configmaps"), "%v", requests)
				assert.Equal(t, 1, count(requests, "patch", "configmaps"), "%v", requests)
			})
		}
	}
}

// A layer removed from the rule under CreateOnly, then the rule deleted with retain.
func TestMergeRemovedLayerCreateOnly(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"), func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.Ready(rule)
	w.has("merged", whole)
	w.Merge(rule, `{"spec":{"merge":null}}`)
	w.has("merged", map[string]string{"color": "red", "size": "1"})
}

// merge leaves the rule together with an edit for which no copy can be made of the source: nobody asks the owner of the layer.
func TestMergeMergeRemovedAndUnrenderable(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"))
	w.Ready(rule)
	w.settles()
	w.Merge(rule, `{"spec":{"merge":null,"content":{"data":{"include":["nothing"]}}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceIncomplete)
	w.Merge(layer, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// The same with a key conflict, the layer still among others.
func TestMergeLayerRemovedAndUnrenderable(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	w.layer("third", `{color: blue}`)
	rule := w.Project("merged", source, w.merging("", "second"))
	w.Ready(rule)
	w.settles()
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"third"}]}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	w.Merge(layer, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

func (w *world) plain(rule *v1.Projection) { rule.Spec.Destination.Name = rule.Name }

// Copies that were written before the rule had a merge have no layers: they stay while a required layer is missing.
func TestMergeMergeAddedWithMissingLayers(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("merged", source, w.plain)
	w.Ready(rule)
	before := w.has("merged", map[string]string{"color": "red", "size": "1"})
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"nothing"},{"namespace":"`+w.Home+`","name":"optional","optional":true}]}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.settles()
	assert.Equal(t, before.GetUID(), w.has("merged", map[string]string{"color": "red", "size": "1"}).GetUID())
}

// They are retained, too.
func TestMergeMergeAddedThenRuleDeleted(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	rule := w.Project("merged", source, w.plain, retaining(v1.RetainRuleDeleted))
	w.Ready(rule)
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"nothing"}]}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.settles()
	w.Delete(rule)
	w.Gone(rule)
	w.has("merged", map[string]string{"color": "red", "size": "1"})
}

// CreateOnly: what users made of a copy stays.
func TestMergeMergeAddedUnderCreateOnly(t *testing.T) {
	w := newWorld(t)
	source := w.Apply(configMap)
	w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.plain, func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.Ready(rule)
	copied := w.has("merged", map[string]string{"color": "red", "size": "1"})
	w.Merge(copied, `{"data":{"color":"mine"}}`)
	w.settles()
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"second"}]}}}`)
	w.settles()
	w.has("merged", map[string]string{"color": "mine", "size": "1"})
}
