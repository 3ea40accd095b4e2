package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestFormerCopyGoesWhenTheNewOneIsReady has a renamed copy be healthy before minReadySeconds have passed.
func TestFormerCopyGoesWhenTheNewOneIsReady(t *testing.T) {
	f := newFronts(t, 0, "minReadySeconds: 4")
	f.address("front", f.canary)
	f.Ready(f.rule)
	f.settles()
	f.Merge(f.rule, `{"spec":{"destination":{"name":"renamed"}}}`)
	f.address("renamed", f.canary)
	f.gone(f.source, f.canary, "front")
	f.Ready(f.rule)
}

// TestFormerCopiesWithoutConsentWaitForNothing has the renamed copy in the first wave not be healthy.
func TestFormerCopiesWithoutConsentWaitForNothing(t *testing.T) {
	tests := map[string]struct {
		rename, reason, withdraw string
	}{
		"the owner of a former source opts out": {`{"spec":{"source":{"name":"other"}}}`, v1.ReasonDestinationNotHealthy, "false"},
		"the owner begins to permit some namespaces": {
			`{"spec":{"destination":{"name":"renamed"}}}`, v1.ReasonRolloutHeld, "namespaces: group=$HOME",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFronts(t, 1, inWaves+", progressDeadlineSeconds: 2")
			f.address("front", f.canary)
			f.address("front", f.others...)
			f.Ready(f.rule)
			f.Apply(fmt.Sprintf(frontService, "other"))
			f.Merge(f.rule, test.rename)
			f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
			consent := f.Object(`{apiVersion: v1, kind: Service, metadata: {name: x, annotations: {projection.sh/projectable: "` + test.withdraw + `"}}}`)
			f.Merge(f.source, `{"metadata":{"annotations":{"projection.sh/projectable":"`+consent.GetAnnotations()[v1.AnnotationProjectable]+`"}}}`)
			f.gone(f.source, f.canary, "front")
			f.gone(f.source, f.others[0], "front")
		})
	}
}

// TestFormerCopyThatNamesNoSourceDoesNotStay has a copy of an earlier version of the operator, and the rule name another source.
func TestFormerCopyThatNamesNoSourceDoesNotStay(t *testing.T) {
	f := newFronts(t, 0, "progressDeadlineSeconds: 2")
	f.address("front", f.canary)
	f.Ready(f.rule)
	f.Merge(f.Exists(f.source, f.canary, "front", fixture.Anything), `{"metadata":{"annotations":{"projection.sh/source":null}}}`)
	f.settles()
	f.Apply(fmt.Sprintf(frontService, "other"))
	f.Merge(f.rule, `{"spec":{"source":{"name":"other"}}}`)
	f.gone(f.source, f.canary, "front")
}

// TestCopyThatIsNotHealthyIsReportedWhileOnlyOthersChange has an edit concern the copies of the second wave only, which were changed later than the
// one in the canary.
func TestCopyThatIsNotHealthyIsReportedWhileOnlyOthersChange(t *testing.T) {
	f := &fronts{&healthy{&staged{world: newWorld(t)}}}
	f.source = f.Apply(fmt.Sprintf(frontService, "front"))
	for range 2 {
		f.others = append(f.others, f.member(fmt.Sprintf(`{"group":%q,"tier":"large"}`, f.Home)))
	}
	f.canary = f.member(fmt.Sprintf(`{"group":%q,"canary":"yes"}`, f.Home))
	size := func(large string) string {
		return `target.labels[?'tier'].orValue('small') == 'large' ? '` + large + `' : 's'`
	}
	f.rule = f.fanOut(f.source, `{namespaceSelector: {matchLabels: {group: $HOME}}}
  overlay: {fields: [{path: 'metadata.labels["size"]', expression: "`+size("one")+`"}]}
  rollout: {until: Healthy, maxFailures: 1, maxUnavailable: 1, progressDeadlineSeconds: 2, `+inWaves+`}`)
	f.address("front", f.others...)
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
	f.settles()
	f.Merge(f.rule, `{"spec":{"overlay":{"fields":[{"path":"metadata.labels[\"size\"]","expression":"`+size("two")+`"}]}}}`)
	for _, namespace := range f.others {
		f.Exists(f.source, namespace, "front", func(o *unstructured.Unstructured) bool { return o.GetLabels()["size"] == "two" })
	}
	f.settles()
	f.Says(f.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationNotHealthy)
	f.counts(f.rule, 2, 1)
	f.address("front", f.canary)
	f.Ready(f.rule)
	assert.Empty(t, f.rule.Status.Failures)
}
