package pull_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

func TestCopyFollowsItsSourceInAnotherCluster(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	rule := p.pull(source)
	p.Ready(rule)
	copied := p.holds(source, "first")
	assert.Equal(t, "eu-1:ConfigMap/"+p.there.Home+"/roots", copied.GetAnnotations()[v1.AnnotationSource])
	assert.NotContains(t, copied.GetAnnotations(), v1.AnnotationExportable)

	p.there.Merge(source, `{"data": {"bundle": "second"}}`)
	p.holds(source, "second")

	p.there.Delete(source)
	p.Gone(copied)
	p.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceDeleted)
}

// TestRequestsOfAnEdit has the source be read once, and the copy be written once.
func TestRequestsOfAnEdit(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	p.Ready(p.pull(source))
	p.Settles(hub, operatorUser)
	var here []env.Request
	there := p.there.RequestsDuring(member, memberUser, func() {
		here = p.RequestsDuring(hub, operatorUser, func() {
			p.there.Merge(source, `{"data": {"bundle": "second"}}`)
			p.holds(source, "second")
			p.Settles(hub, operatorUser)
		})
	})
	assert.Equal(t, []string{"get configmaps"}, verbs(there))
	assert.Equal(t, []string{"patch configmaps"}, slices.DeleteFunc(verbs(here), func(verb string) bool { return strings.HasSuffix(verb, " events") }))
}

func verbs(requests []env.Request) (verbs []string) {
	for _, request := range requests {
		verbs = append(verbs, request.Verb+" "+request.Resource)
	}
	return verbs
}

// TestSourcesInAnotherClusterAreSelected has the rule follow labels there.
func TestSourcesInAnotherClusterAreSelected(t *testing.T) {
	p := newPulling(t)
	source := p.there.Create(consenting)
	p.there.Merge(source, `{"metadata": {"labels": {"share": "yes"}}}`)
	rule := p.pull(source, func(rule *v1.Projection) {
		rule.Spec.Source.Name, rule.Spec.Source.Selector = "", &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"share": "yes"}}
	})
	p.Ready(rule)
	copied := p.holds(source, "first")
	p.there.Merge(source, `{"metadata": {"labels": {"share": null}}}`)
	p.Gone(copied)
}

// TestCopyIsWhereTheSourceIsThere has the copy have the namespace and name of its source, which is in another cluster.
func TestCopyIsWhereTheSourceIsThere(t *testing.T) {
	p := newPulling(t)
	require.NoError(t, p.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.there.Home}}))
	source := p.there.Create(consenting)
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: p.Away}, Spec: v1.ClusterProjectionSpec{
		Source: fixture.RefTo(source), Destination: v1.ClusterProjectionDestination{Namespaces: []v1.NamespaceName{p.there.Home}},
	}}
	rule.Spec.Source.Cluster = remoteName
	require.NoError(t, p.Client.Create(t.Context(), rule))
	t.Cleanup(func() { p.Delete(rule) })
	p.Ready(rule)
	copied, err := p.Get(source, p.there.Home, "roots")
	require.NoError(t, err)
	assert.Equal(t, "eu-1:ConfigMap/"+p.there.Home+"/roots", copied.GetAnnotations()[v1.AnnotationSource])
}
