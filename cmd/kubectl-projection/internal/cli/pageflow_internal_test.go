package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// reported is a ClusterProjection with that status.
func reported(status v1.ClusterProjectionStatus) access.Rule {
	object := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: "base"}, Status: status}
	return access.Rule{Identity: owner.IdentityOf(owner.ClusterProjection, object), Object: object}
}

func readyIs(status metav1.ConditionStatus) v1.CommonStatus {
	return v1.CommonStatus{Conditions: []metav1.Condition{{Type: v1.ConditionReady, Status: status}}}
}

func TestRulesLeadToNamespacesByState(t *testing.T) {
	failures := []v1.NamespaceFailure{{Namespace: "web-1", Reason: "DestinationConflict"}}
	three := []int32{1, 2, 3}
	counted := v1.ClusterProjectionStatus{
		CommonStatus: readyIs(metav1.ConditionFalse), NamespacesTargeted: new(int32(10)), NamespacesWritten: new(int32(5)),
		NamespacesFailed: &three[2], NamespacesSkipped: &three[1], Failures: failures,
	}
	suspended := reported(counted)
	suspended.Spec.Suspended = true
	object := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "ca"}}
	object.Status.CommonStatus = readyIs(metav1.ConditionFalse)
	ofOne := access.Rule{Identity: owner.IdentityOf(owner.Projection, object), Object: object}
	one := v1.ClusterProjectionStatus{CommonStatus: readyIs(metav1.ConditionTrue), NamespacesTargeted: &three[0], NamespacesWritten: &three[0]}
	sourceless := v1.ClusterProjectionStatus{CommonStatus: readyIs(metav1.ConditionFalse), NamespacesTargeted: &three[0]}
	changed, deleted := reported(one), reported(one)
	changed.Object.SetGeneration(7)
	deleted.Object.SetDeletionTimestamp(new(metav1.Now()))
	const failed = "bad web-1 DestinationConflict; bad other namespaces 2 failed; "
	tests := map[string]struct {
		rule access.Rule
		ends string
	}{
		"counted":   {reported(counted), failed + "waiting not in sync yet 2 copies; good in sync 5 copies; off left out 2 namespaces"},
		"suspended": {suspended, failed + "off suspended 2 copies; good in sync 5 copies; off left out 2 namespaces"},
		"one":       {reported(one), "good in sync 1 copy"},
		"changed":   {changed, "unknown reported in sync 1 copy"},
		"deleted":   {deleted, "unknown reported in sync 1 copy"},
		"no source": {reported(sourceless), ""},
		"not ready": {ofOne, "bad tenant "},
		"not counted": {
			reported(v1.ClusterProjectionStatus{CommonStatus: readyIs(metav1.ConditionTrue), NamespacesTargeted: &three[1]}), "unknown not counted 2 copies",
		},
		"no reports": {reported(v1.ClusterProjectionStatus{}), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var ends []string
			for _, node := range threadOf(test.rule, infoOf(test.rule, access.Settings{})).To {
				ends = append(ends, fmt.Sprintf("%s %s %s", node.Tone, node.Text, node.Small()))
			}
			assert.Equal(t, test.ends, strings.Join(ends, "; "))
		})
	}
}
