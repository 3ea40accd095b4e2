package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/metrics"
)

func TestPublicationsAreSummedUp(t *testing.T) {
	resource := func(ready metav1.ConditionStatus, accepted, inSync, failed int32) v1alpha1.PublishedResource {
		return v1alpha1.PublishedResource{Status: v1alpha1.PublishedResourceStatus{
			Objects: v1alpha1.ObjectCounts{Accepted: accepted, InSync: inSync, Failed: failed},
			Conditions: []metav1.Condition{
				{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionUnknown, Reason: "Another"},
				{Type: v1alpha1.ConditionReady, Status: ready, Reason: "Because"},
			},
		}}
	}
	sum := measured([]v1alpha1.PublishedResource{resource(metav1.ConditionTrue, 3, 3, 0), resource(metav1.ConditionFalse, 9, 4, 2), {}})
	assert.Equal(t, metrics.Publications{
		States: map[metrics.Readiness]int{{Status: "True", Reason: "Because"}: 1, {Status: "False", Reason: "Because"}: 1},
		InSync: 7, Failed: 2, Pending: 3,
	}, sum)
}
