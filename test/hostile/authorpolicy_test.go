package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// TestAuthorsMayReadWhatTheyHaveCopied has a user who may write Projections, and no permission on the sources.
func TestAuthorsMayReadWhatTheyHaveCopied(t *testing.T) {
	w := newWorld(t)
	w.installPolicies()
	author := fixture.Client(t, w.account("author"))
	w.mayIn(w.Away, "author", right(v1.Domain, "projections", "get list watch create update patch delete"))
	w.may("author", right(v1.Domain, "clusterprojections", "create")) // no tenant
	rule := func(group, kind, name string) *v1.Projection {
		return &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Away, GenerateName: "rule-"},
			Spec: v1.ProjectionSpec{
				Source: v1.SourceRef{Group: group, Kind: kind, Namespace: w.Home, Name: name}, Destination: v1.ProjectionDestination{Name: "other"},
			},
		}
	}
	denied := `you need the verb "get" on secrets in the namespace ` + w.Home + " to have a rule copy from there"
	requireDenied(t, creating(author, rule("", "Secret", "one")), denied)
	requireDenied(t, creating(author, rule("example.com", "Secret", "one")), `on all resources of the group of Secret.example.com in the namespace `+w.Home)
	require.NoError(t, creating(w.Client, rule("", "Secret", "one"))(), "an administrator")

	one := right("", "secrets", "get")
	one.ResourceNames = []string{"one"}
	w.mayInAs(w.Home, "author", "one", one)
	require.Eventually(t, func() bool { return creating(author, rule("", "Secret", "one"))() == nil }, env.Timeout, env.Interval)
	requireDenied(t, creating(author, rule("", "Secret", "another")), denied)
	requireDenied(t, creating(author, rule("", "ConfigMap", "one")), `"get" on configmaps`)

	w.mayInAs(w.Home, "author", "list", right("", "configmaps", "list watch"), right(rbacv1.GroupName, "roles", "get"))
	require.Eventually(t, func() bool { return creating(author, rule(rbacv1.GroupName, "Role", "any"))() == nil }, env.Timeout, env.Interval)
	requireDenied(t, creating(author, rule("", "ConfigMap", "one")), `"get" on configmaps`)

	w.mayInAs(w.Home, "author", "all", right("example.com", "*", "get"))
	require.Eventually(t, func() bool { return creating(author, rule("example.com", "Secret", "one"))() == nil }, env.Timeout, env.Interval)

	kept := rule("", "Secret", "another")
	require.NoError(t, w.Client.Create(t.Context(), kept))
	requireDenied(t, func() error {
		return author.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"spec":{"destination":{"name":"mine"}}}`), client.DryRunAll)
	}, denied)
	require.NoError(t, author.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"metadata":{"labels":{"a":"b"}}}`), client.DryRunAll), "the spec stays")
	require.NoError(t, author.Patch(t.Context(), kept.DeepCopy(), rawMerge(`{"spec":{"source":{"name":"one"}}}`), client.DryRunAll))
	require.NoError(t, author.Delete(t.Context(), kept, client.DryRunAll))
}
