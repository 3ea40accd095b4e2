package projection_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projection"
)

func TestProjectionHasOneCopyInItsOwnNamespace(t *testing.T) {
	rule := &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: "away", Name: "rule"},
		Spec:       v1.ProjectionSpec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}},
	}
	targets, err := projection.Adapter(nil).Targets(t.Context(), rule)
	require.NoError(t, err)
	assert.Equal(t, []plan.Target{{Namespace: "away"}}, targets)
}

func TestKindIsOfTheNamespacedTier(t *testing.T) {
	kind := projection.Adapter(nil)
	assert.Equal(t, owner.Projection, kind.Kind)
	first, second := kind.New(), kind.New()
	assert.Equal(t, &v1.Projection{}, first)
	assert.NotSame(t, first, second)
	assert.Equal(t, &v1.ProjectionList{}, kind.NewList())
	assert.Nil(t, kind.Failures, "the conditions tell all of its one copy")
}

func TestReportAddsNothingToTheCommonStatus(t *testing.T) {
	kind, rule := projection.Adapter(nil), &v1.Projection{}
	rule.Status.DestinationName = "settings"
	before := kind.Status(rule)
	kind.Report(rule, []destination.Outcome{{Reason: v1.ReasonDestinationConflict}}, 3, func(string) bool { return true })
	assert.Equal(t, before, kind.Status(rule))
	rule.Status.DestinationName = "renamed"
	assert.NotEqual(t, before, kind.Status(rule), "a change of the status is seen")
}
