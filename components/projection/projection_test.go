package projection_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projection"
	"projection.sh/operator/components/watch"
)

func TestProjectionHasOneCopyInItsOwnNamespace(t *testing.T) {
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: "away", Name: "rule"},
		Spec:       v1.ProjectionSpec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}},
	}
	targets, err := projection.Adapter(nil, nil, nil).Targets(t.Context(), rule)
	require.NoError(t, err)
	assert.Equal(t, []plan.Target{{Namespace: "away"}}, targets)
}

// namespaces is a cache that holds one namespace.
type namespaces struct {
	client.Reader
	name, team string
}

func (n namespaces) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if key.Name != n.name {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, key.Name)
	}
	into.SetResourceVersion("7")
	into.SetLabels(map[string]string{"team": n.team})
	return nil
}

// TestTargetOfARuleWithExpressions looks the namespace up only if an expression names it, and not for a deletion, which ends whatever is known.
func TestTargetOfARuleWithExpressions(t *testing.T) {
	rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: "away", Name: "rule"}}
	names := watch.NewNames()
	names.Set(watch.RuleKey{Kind: v1.KindProjection, NamespacedName: client.ObjectKeyFromObject(rule)}, expressions.Names{Target: true})
	targets := func(of namespaces) []plan.Target {
		found, err := projection.Adapter(of, names, nil).Targets(t.Context(), rule)
		require.NoError(t, err)
		return found
	}
	assert.Equal(t, []plan.Target{{Namespace: "away", Version: "7", Labels: map[string]string{"team": "a"}}}, targets(namespaces{name: "away", team: "a"}))
	unknown := targets(namespaces{})
	require.Len(t, unknown, 1)
	assert.Equal(t, "the namespace does not exist; the copy follows when it does", unknown[0].Blocked)
	rule.DeletionTimestamp = new(metav1.Now())
	assert.Equal(t, []plan.Target{{Namespace: "away"}}, targets(namespaces{}))
}

func TestKindIsOfTheNamespacedTier(t *testing.T) {
	kind := projection.Adapter(nil, nil, nil)
	assert.Equal(t, owner.Projection, kind.Kind)
	first, second := kind.New(), kind.New()
	assert.Equal(t, &v1.Projection{}, first)
	assert.NotSame(t, first, second)
	assert.Equal(t, &v1.ProjectionList{}, kind.NewList())
	assert.Nil(t, kind.Failures, "the conditions tell all of its one copy")
}

func TestReportAddsNothingToTheCommonStatus(t *testing.T) {
	kind, rule := projection.Adapter(nil, nil, nil), &v1.Projection{}
	rule.Status.DestinationName = "settings"
	before := kind.Status(rule)
	kind.Report(rule, []destination.Outcome{{Reason: v1.ReasonDestinationConflict}}, 3, func(string) bool { return true })
	assert.Equal(t, before, kind.Status(rule))
	rule.Status.DestinationName = "renamed"
	assert.NotEqual(t, before, kind.Status(rule), "a change of the status is seen")
}
