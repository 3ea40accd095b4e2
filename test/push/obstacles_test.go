package push_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env/fixture"
)

// foreignObjects are what no rule of the hub may touch.
func (p *pushing) foreignObjects() map[string]string {
	id, another := p.hubID(), "0f3f9c2e-0000-4000-8000-0123456789ab"
	mark := func(annotations string) string {
		return `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ` + p.Away + `, name: settings, annotations: {` + annotations + `}}, data: {color: black}}`
	}
	placed := `, projection.sh/place: ` + p.Away + `/settings`
	return map[string]string{
		"of nobody":                     mark(""),
		"of the rule in another hub":    mark(`projection.sh/owned-by-remote: ` + another + `/ClusterProjection/` + p.Away + placed),
		"of another rule of the hub":    mark(`projection.sh/owned-by-remote: ` + id + `/ClusterProjection/another` + placed),
		"of a Projection of the hub":    mark(`projection.sh/owned-by-remote: ` + id + `/Projection/` + p.Away + `/` + p.Away + placed),
		"of a rule in the member":       mark(`projection.sh/owned-by-cluster-projection: ` + p.Away + placed),
		"of the rule, and of one there": mark(`projection.sh/owned-by-remote: ` + id + `/ClusterProjection/` + p.Away + `, projection.sh/owned-by-cluster-projection: ` + p.Away + placed),
		"copied from another place":     mark(`projection.sh/owned-by-remote: ` + id + `/ClusterProjection/` + p.Away + `, projection.sh/place: other/settings`),
	}
}

// TestForeignObjectInAMember has an object be in the place of a copy in one cluster. When it goes, the copy is written.
func TestForeignObjectInAMember(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	for name, manifest := range p.foreignObjects() {
		t.Run(name, func(t *testing.T) {
			foreign := p.east.World.Create(manifest)
			rule := p.push(source)
			p.west.holds(source, "red")
			failure := p.fails(rule, v1.ReasonDestinationConflict)
			assert.Equal(t, p.Away, failure.Namespace)
			assert.Equal(t, v1.ReasonDestinationConflict, failure.Reason)
			assert.Equal(t, &v1.ClusterCounts{Targeted: 2, InSync: 1, Failed: 1}, rule.Status.Clusters)
			now := p.east.holds(source, "black")
			assert.Equal(t, foreign.GetResourceVersion(), now.GetResourceVersion())
			p.east.World.Delete(foreign)
			p.east.holds(source, "red")
			p.Ready(rule)
			p.Delete(rule)
			p.World.Gone(rule)
			p.east.lacks(source)
			p.west.lacks(source)
		})
	}
}

// TestForeignObjectOutlivesTheRule deletes a rule while an object is in the place of its copy.
func TestForeignObjectOutlivesTheRule(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	for name, manifest := range p.foreignObjects() {
		t.Run(name, func(t *testing.T) {
			foreign := p.east.World.Create(manifest)
			rule := p.push(source)
			p.fails(rule, v1.ReasonDestinationConflict)
			p.Delete(rule)
			p.World.Gone(rule)
			now := p.east.holds(source, "black")
			assert.Equal(t, foreign.GetResourceVersion(), now.GetResourceVersion())
			p.east.World.Delete(foreign)
		})
	}
}

// TestNamespacesOfMembers has the namespace of a copy be missing in one cluster, appear, end, and lose and get the label by which a rule selects it.
func TestNamespacesOfMembers(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	name := p.Away + "-more"
	p.west.OwnNamespace(name)
	listing := p.push(source, func(rule *v1.ClusterProjection) { rule.Spec.Destination.Namespaces = []v1.NamespaceName{name} })
	east, west := &place{World: p.east.World, Remote: p.east.Remote, namespace: name}, &place{World: p.west.World, Remote: p.west.Remote, namespace: name}
	west.holds(source, "red")
	failure := p.fails(listing, v1.ReasonDestinationCreateFailed)
	assert.Equal(t, name, failure.Namespace)
	assert.Contains(t, failure.Message, "the namespace does not exist")
	p.east.OwnNamespace(name)
	east.holds(source, "red")
	p.Ready(listing)

	selecting := p.push(source, func(rule *v1.ClusterProjection) {
		rule.Name += "-selects"
		rule.Spec.Destination.Name = "selected"
		rule.Spec.Destination.Namespaces = nil
		rule.Spec.Destination.NamespaceSelector = &v1.NamespaceSelector{MatchLabels: map[string]v1.LabelValue{"for": p.Away}}
	})
	selected := source.DeepCopy()
	selected.SetName("selected")
	p.Says(selecting, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonNoMatchingNamespaces, v1.ReasonProjected)
	namespace := namespaceOf(name)
	p.east.World.Merge(namespace, `{"metadata": {"labels": {"for": "`+p.Away+`"}}}`)
	east.holds(selected, "red")
	_, err := p.west.World.Get(source, name, "selected")
	require.Error(t, err)
	p.Ready(selecting)
	p.east.World.Merge(namespace, `{"metadata": {"labels": {"for": null}}}`)
	east.lacks(selected)
	p.Ready(selecting)

	require.NoError(t, p.east.World.Client.Delete(t.Context(), namespaceOf(name)))
	assert.Contains(t, p.fails(listing, v1.ReasonDestinationCreateFailed).Message, "the namespace")
	west.holds(source, "red")
}

// TestKindsOfMembers copies objects of a kind that one cluster does not serve at first. Nothing tells the operator when it does: it asks again.
func TestKindsOfMembers(t *testing.T) {
	restartAs(t, func(o *app.Options) { o.RequeueInterval = 2 * time.Second })
	p := newPushing(t)
	const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: pushes.members.test}, spec: {group: members.test,
		scope: Namespaced, names: {plural: pushes, singular: push, kind: Push, listKind: PushList}, versions: [{name: v1, served: true, storage: true, schema: {
		openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`
	for _, w := range []*fixture.World{p.World, p.west.World} {
		defined := w.Create(definition)
		t.Cleanup(func() { w.Delete(defined) })
	}
	manifest := `{apiVersion: members.test/v1, kind: Push, metadata: {namespace: $HOME, name: settings, annotations: {
		projection.sh/projectable: "true", projection.sh/exportable: "true"}}, data: {color: red}}`
	source := p.World.Object(manifest)
	p.Eventually(source, func() bool { return p.Client.Create(t.Context(), source) == nil }, "the kind is not served")
	rule := p.push(source)
	p.west.holds(source, "red")
	failure := p.fails(rule, v1.ReasonSourceResolutionFailed)
	assert.Contains(t, failure.Message, `the API server does not serve the group "members.test"`)
	defined := p.east.World.Create(definition)
	t.Cleanup(func() { p.east.World.Delete(defined) })
	p.east.holds(source, "red")
	p.Ready(rule)
	p.Delete(rule)
	p.World.Gone(rule)
}

// TestMemberThatRefuses has the admission of one cluster refuse the copy. Its content is told nowhere.
func TestMemberThatRefuses(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	policy := p.east.World.Create(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: ` + p.Away + `}, spec: {
		matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]},
		validations: [{expression: "object.metadata.namespace != '` + p.Away + `' || object.data.color != 'blue'", message: "no blue here"}]}}`)
	t.Cleanup(func() { p.east.World.Delete(policy) })
	binding := p.east.World.Create(`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: ` + p.Away + `}, spec: {
		policyName: ` + p.Away + `, validationActions: [Deny]}}`)
	t.Cleanup(func() { p.east.World.Delete(binding) })
	probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.Away, GenerateName: "probe-"}, Data: map[string]string{"color": "blue"}}
	p.east.World.Eventually(probe, func() bool { return p.east.World.Client.Create(t.Context(), probe.DeepCopy()) != nil }, "the policy does not hold")
	p.Merge(source, `{"data": {"color": "blue"}}`)
	p.west.holds(source, "blue")
	failure := p.fails(rule, v1.ReasonDestinationUpdateFailed)
	assert.Equal(t, p.Away, failure.Namespace)
	p.east.holds(source, "red")
	p.Merge(source, `{"data": {"color": "green"}}`)
	p.both(source, "green")
	p.Ready(rule)
}

// TestOperatorInTheMemberLeavesRemoteCopiesAlone has a copy bear all that the operator of the hub writes, and looks at how its marks differ from those of
// rules in the member.
func TestMarksOfTheHubAreItsOwn(t *testing.T) {
	p := newPushing(t)
	source := p.World.Create(consenting)
	rule := p.push(source)
	p.Ready(rule)
	for _, member := range p.pair() {
		copied := member.holds(source, "red")
		for _, key := range []string{v1.AnnotationOwnedByClusterProjection, v1.AnnotationOwnedByProjection} {
			assert.NotContains(t, copied.GetAnnotations(), key)
		}
		for _, key := range []string{v1.LabelOwnedByClusterProjectionUID, v1.LabelOwnedByProjectionUID} {
			assert.NotContains(t, copied.GetLabels(), key)
		}
	}
}

// colorIs reports whether the object has the data.
func colorIs(object *unstructured.Unstructured, color string) bool {
	found, _, _ := unstructured.NestedString(object.Object, "data", "color")
	return found == color
}
