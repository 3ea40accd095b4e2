package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

func TestAdoptionTakesAVerbOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	write := right(v1.Domain, "clusterprojections", "get create update patch")
	named := right(v1.Domain, "clusterprojections", "adopt")
	named.ResourceNames = []string{w.Away}
	author, adopting, migrating := fixture.Client(t, w.account("author")), fixture.Client(t, w.account("adopting")), fixture.Client(t, w.account("migrating"))
	w.may("author", write)
	w.may("adopting", write, right(v1.Domain, "clusterprojections", "adopt"))
	w.may("migrating", write, named)
	rule := func(name string, onConflict v1.ConflictPolicy) *v1.ClusterProjection {
		return &v1.ClusterProjection{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1.ClusterProjectionSpec{
				Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: w.Home, Name: "settings"},
				Destination: v1.ClusterProjectionDestination{Namespaces: []string{w.Away}},
				Policy:      v1.Policy{OnConflict: onConflict},
			},
		}
	}
	migration, another := w.Away, w.Home
	requireDenied(t, creating(author, rule(migration, v1.ConflictAdopt)), `you need the verb "adopt" on clusterprojections`)
	selecting := rule(migration, v1.ConflictAdopt)
	selecting.Spec.Source.Name, selecting.Spec.Source.Selector = "", &v1.SourceSelector{}
	requireDenied(t, creating(author, selecting), "users who label sources choose what is adopted")
	for _, other := range []v1.ConflictPolicy{"", v1.ConflictAdoptIdentical, v1.ConflictSkip, v1.ConflictRefuse} {
		require.NoError(t, creating(author, rule(migration, other))(), other)
	}
	require.NoError(t, creating(w.Client, rule(migration, v1.ConflictAdopt))())
	require.NoError(t, creating(adopting, rule(another, v1.ConflictAdopt))())
	require.NoError(t, creating(migrating, rule(migration, v1.ConflictAdopt))())
	requireDenied(t, creating(migrating, rule(another, v1.ConflictAdopt)), `"adopt"`)

	kept := rule(migration, v1.ConflictAdopt)
	require.NoError(t, w.Client.Create(t.Context(), kept))
	t.Cleanup(func() { w.Delete(kept) })
	patch := func(as client.Client, patch string) func() error {
		return func() error { return as.Patch(t.Context(), kept.DeepCopy(), rawMerge(patch), client.DryRunAll) }
	}
	requireDenied(t, patch(author, `{"spec":{"destination":{"name":"other"}}}`), "or to change the spec of "+migration+", which does")
	require.NoError(t, patch(migrating, `{"spec":{"destination":{"name":"other"}}}`)())
	require.NoError(t, patch(author, `{"metadata":{"labels":{"a":"b"}}}`)(), "the spec stays")
	require.NoError(t, patch(author, `{"spec":{"policy":null}}`)(), "adopts no more")
}
