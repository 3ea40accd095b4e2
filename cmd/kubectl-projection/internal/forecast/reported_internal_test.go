package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

func TestWhatTheOperatorReportsOfACopy(t *testing.T) {
	named := v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Name: "app-config"}
	selecting := v1.SourceRef{Kind: "ConfigMap", Namespace: "platform", Selector: &v1.SourceSelector{}}
	reported := []v1.NamespaceFailure{
		{Namespace: "other", Reason: "Other", Message: "another failure"},
		{Namespace: "web-7", Reason: v1.ReasonDestinationCreateFailed, Message: "a quota refuses it"},
	}
	missing := Verdict{State: Missing, Namespace: "web-7", Message: nothingThere}
	tests := map[string]struct {
		source          v1.SourceRef
		verdict, wanted Verdict
	}{
		"a missing copy": {
			source: named, verdict: missing,
			wanted: Verdict{State: Missing, Namespace: "web-7", Reason: v1.ReasonDestinationCreateFailed, Message: "a quota refuses it"},
		},
		"a copy that is out of sync": {
			source: named, verdict: Verdict{State: OutOfSync, Namespace: "web-7"},
			wanted: Verdict{State: OutOfSync, Namespace: "web-7", Reason: v1.ReasonDestinationCreateFailed, Message: "a quota refuses it"},
		},
		"a copy in sync": {source: named, verdict: Verdict{State: InSync, Namespace: "web-7"}, wanted: Verdict{State: InSync, Namespace: "web-7"}},
		"a copy for whose state there is a reason": {
			source: named, verdict: Verdict{State: Missing, Namespace: "web-7", Reason: v1.ReasonSuspended},
			wanted: Verdict{State: Missing, Namespace: "web-7", Reason: v1.ReasonSuspended},
		},
		"no failure in the namespace": {source: named, verdict: Verdict{State: Missing, Namespace: "web-1"}, wanted: Verdict{State: Missing, Namespace: "web-1"}},
		"one of several sources":      {source: selecting, verdict: missing, wanted: missing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object := &v1.ClusterProjection{}
			object.Status.Failures = reported
			assert.Equal(t, test.wanted, explain(access.Rule{Object: object, Spec: owner.Spec{Source: test.source}}, test.verdict))
		})
	}
	t.Run("a rule that was changed since", func(t *testing.T) {
		object := &v1.ClusterProjection{}
		object.Status.Failures, object.Generation = reported, 1
		assert.Equal(t, missing, explain(access.Rule{Object: object, Spec: owner.Spec{Source: named}}, missing))
	})
	t.Run("a Projection", func(t *testing.T) {
		assert.Equal(t, missing, explain(access.Rule{Object: &v1.Projection{}, Spec: owner.Spec{Source: named}}, missing))
	})
}
