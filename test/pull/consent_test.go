package pull_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// hubID returns the identity of the hub, as the owners of sources know it.
func hubID(t *testing.T) string {
	t.Helper()
	system, err := kubernetes.NewForConfigOrDie(hub.Config).CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
	require.NoError(t, err)
	return string(system.UID)
}

// TestOwnerThereDecides has the owner of a source change the consent for other clusters.
func TestOwnerThereDecides(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	rule := p.pull(source)
	p.Ready(rule)
	for _, test := range []struct{ exportable, reason string }{
		{`null`, v1.ReasonSourceNotExportable},
		{`"` + hubID(t) + `, 1b2c"`, v1.ReasonProjected},
		{`"false"`, v1.ReasonSourceOptedOut},
		{`"true"`, v1.ReasonProjected},
		{`"1b2c"`, v1.ReasonSourceNotExportable},
	} {
		p.there.Merge(source, `{"metadata": {"annotations": {"projection.sh/exportable": `+test.exportable+`}}}`)
		if test.reason == v1.ReasonProjected {
			p.Says(rule, v1.ConditionReady, metav1.ConditionTrue, test.reason)
			p.holds(source, "first")
			continue
		}
		condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
		assert.Contains(t, condition.Message, "in the cluster eu-1, the ", test.exportable)
		_, err := p.Get(source, p.Away, "roots")
		assert.Error(t, err, "the copy is deleted")
	}
}

// TestRemoteClusterDecidesWhoReads has an administrator of the hub change what the RemoteCluster permits. Copies stay.
func TestRemoteClusterDecidesWhoReads(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	rule := p.pull(source)
	p.Ready(rule)
	for name, change := range map[string]func(*v1alpha1.RemoteClusterSpec){
		"no namespaces": func(spec *v1alpha1.RemoteClusterSpec) { spec.AllowedNamespaces = nil },
		"other namespaces": func(spec *v1alpha1.RemoteClusterSpec) {
			spec.AllowedNamespaces.MatchLabels = map[string]v1.LabelValue{"pull": "yes"}
		},
		"other kinds":     func(spec *v1alpha1.RemoteClusterSpec) { spec.Scope.Kinds = []v1alpha1.ScopeKind{"Secret"} },
		"other direction": func(spec *v1alpha1.RemoteClusterSpec) { spec.Scope.Directions = []v1alpha1.Direction{v1alpha1.Push} },
		"other sources":   func(spec *v1alpha1.RemoteClusterSpec) { spec.Scope.Namespaces = []v1.NamespaceName{"elsewhere"} },
	} {
		before := p.remote().Spec
		p.editRemote(change)
		condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceClusterNotPermitted)
		assert.Contains(t, condition.Message, "the RemoteCluster eu-1 ", name)
		assert.Contains(t, condition.Message, "; copies are kept; ", name)
		p.holds(source, "first")
		p.editRemote(func(spec *v1alpha1.RemoteClusterSpec) { *spec = before })
		p.Ready(rule)
	}
}

// TestNamespaceIsLabelled has a namespace become one whose Projections may read there.
func TestNamespaceIsLabelled(t *testing.T) {
	p := newPulling(t, func(spec *v1alpha1.RemoteClusterSpec) {
		spec.AllowedNamespaces.MatchLabels = map[string]v1.LabelValue{"pull": "yes"}
	})
	source := p.there.Create(consenting)
	rule := p.pull(source)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceClusterNotPermitted)
	p.label(p.Away, `{"metadata": {"labels": {"pull": "yes"}}}`)
	p.Ready(rule)
	p.label(p.Away, `{"metadata": {"labels": {"pull": null}}}`)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceClusterNotPermitted)
	p.holds(source, "first")
}

// TestServiceAccountIsOneOfTheHub has a rule whose service account says nothing in the member.
func TestServiceAccountIsOneOfTheHub(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	rule := p.pull(source, func(rule *v1.Projection) { rule.Spec.ServiceAccountName = "writer" })
	condition := p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRuleInvalid)
	assert.Contains(t, condition.Message, "nothing can be read in its name in the cluster eu-1")
}
