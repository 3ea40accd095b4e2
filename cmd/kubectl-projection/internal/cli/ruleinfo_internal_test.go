package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

func TestCopiesThatCouldNotBeWritten(t *testing.T) {
	assert.False(t, hasFailed(nil))
	assert.False(t, hasFailed(&metav1.Condition{Status: metav1.ConditionTrue, Reason: v1.ReasonDestinationConflict}))
	for reason, want := range map[string]bool{
		v1.ReasonDestinationFetchFailed: true, v1.ReasonDestinationConflict: true, v1.ReasonRenderFailed: true, v1.ReasonDestinationNotHealthy: true,
		v1.ReasonSuspended: false, v1.ReasonSourceNotFound: false,
	} {
		assert.Equal(t, want, hasFailed(&metav1.Condition{Status: metav1.ConditionFalse, Reason: reason}), reason)
	}
}

func TestFailuresOfARule(t *testing.T) {
	cluster := &v1.ClusterProjection{}
	cluster.Status.FailureReasons = []v1.ReasonCount{{Reason: "A", Count: 1}, {Reason: "B", Count: 3}, {Reason: "C", Count: 1}, {Reason: "D", Count: 2}}
	_, reasons := failuresOf(access.Rule{Object: cluster}, ruleInfo{})
	assert.Empty(t, reasons, "none has failed")
	failed, reasons := failuresOf(access.Rule{Object: cluster}, ruleInfo{Failed: 7})
	assert.Equal(t, int32(7), failed)
	assert.Equal(t, []string{"3 B", "2 D", "1 A"}, reasons)
	assert.Equal(t, v1.ReasonCount{Reason: "A", Count: 1}, cluster.Status.FailureReasons[0], "the rule stays as it is")

	cluster.Status.FailureReasons = cluster.Status.FailureReasons[:1]
	_, reasons = failuresOf(access.Rule{Object: cluster}, ruleInfo{Failed: 1})
	assert.Equal(t, []string{"A"}, reasons)
	_, reasons = failuresOf(access.Rule{Object: &v1.Projection{}}, ruleInfo{Failed: 1, Reason: "B"})
	assert.Equal(t, []string{"B"}, reasons)
}

func TestLoadOfARule(t *testing.T) {
	one, several := access.Rule{}, access.Rule{}
	several.Spec.Source.Selector = &v1.SourceSelector{}
	size := forecast.Size{Copies: 11, Bytes: 2200}
	for name, test := range map[string]struct {
		rule   access.Rule
		info   ruleInfo
		size   forecast.Size
		copies *int64
		bytes  *int64
	}{
		"one source":                     {one, ruleInfo{InSync: new(int32(4)), Wanted: new(int32(11))}, size, new(int64(4)), new(int64(800))},
		"not counted":                    {one, ruleInfo{}, size, nil, nil},
		"one source of unknown size":     {one, ruleInfo{InSync: new(int32(4))}, forecast.Size{Unknown: "x"}, new(int64(4)), nil},
		"consents differ by namespace":   {several, ruleInfo{InSync: new(int32(10)), Wanted: new(int32(10))}, size, new(int64(11)), new(int64(2200))},
		"one of ten namespaces fails":    {several, ruleInfo{InSync: new(int32(9)), Wanted: new(int32(10))}, size, new(int64(9)), new(int64(1800))},
		"several sources, none in sync":  {several, ruleInfo{InSync: new(int32(0)), Wanted: new(int32(0))}, forecast.Size{}, new(int64(0)), nil},
		"several sources, not readable":  {several, ruleInfo{InSync: new(int32(9)), Wanted: new(int32(10))}, forecast.Size{Unknown: "x"}, nil, nil},
		"several sources, no namespaces": {several, ruleInfo{InSync: new(int32(9)), Wanted: new(int32(0))}, size, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			load := loadOf(test.rule, test.info, test.size)
			assert.Equal(t, test.copies, load.Copies)
			assert.Equal(t, test.bytes, load.Bytes)
		})
	}
}
