package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestNothingIsWrittenForASuspendedRule has each cause of a write or a deletion meet a suspended rule. Then the rule is resumed.
func TestNothingIsWrittenForASuspendedRule(t *testing.T) {
	tests := map[string]struct {
		cause func(*suspension)
		// written and ready are what the rule says of it, and held is how many namespaces it counts.
		written, ready string
		held           int32
		// resumed is the reason of Ready when the rule is resumed, and left how many copies there are then.
		resumed string
		left    int
	}{
		"the source is edited": {
			func(s *suspension) { s.Merge(s.source, `{"data":{"ca.crt":"bmV3"}}`) },
			"suspended: would update 2; none is in sync", v1.ReasonSuspended, 2, v1.ReasonProjected, 2,
		},
		"a copy is edited": {
			func(s *suspension) { s.Merge(s.copyIn(s.one), `{"data":{"ca.crt":"theirs"}}`) },
			"suspended: would update 1; 1 is in sync", v1.ReasonSuspended, 1, v1.ReasonProjected, 2,
		},
		"a copy is deleted": {
			func(s *suspension) { s.Delete(s.copyIn(s.one)) },
			"suspended: would create 1; 1 is in sync", v1.ReasonSuspended, 1, v1.ReasonProjected, 2,
		},
		"a copy loses its label": {
			func(s *suspension) {
				s.Merge(s.copyIn(s.one), `{"metadata":{"labels":{"`+v1.LabelOwnedByClusterProjectionUID+`":null}}}`)
			},
			"suspended: would create 1; 1 is in sync", v1.ReasonSuspended, 1, v1.ReasonProjected, 2,
		},
		"the owner of the source opts out": {
			func(s *suspension) {
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
			},
			"suspended: would delete 2", v1.ReasonSourceOptedOut, 0, v1.ReasonSourceOptedOut, 0,
		},
		"the owner of the source takes a key back": {
			func(s *suspension) {
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/public-keys":null}}}`)
			},
			"suspended: would delete 2", v1.ReasonSourceNotProjectable, 0, v1.ReasonSourceNotProjectable, 0,
		},
		"the owner of the source takes a key back that copies of an earlier rule hold": {
			func(s *suspension) {
				s.Merge(s.rule, `{"spec":{"destination":{"kind":null},"content":null}}`)
				s.Says(s.rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSuspended)
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/public-keys":null}}}`)
			},
			"suspended: would create 2, delete 2; none is in sync", v1.ReasonSuspended, 2, v1.ReasonProjected, 2,
		},
		"the owner of the source permits no namespace any more": {
			func(s *suspension) {
				s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: nobody=$HOME"}}}`)
			},
			"suspended: would delete 2", v1.ReasonSuspended, 0, v1.ReasonNoMatchingNamespaces, 0,
		},
		"the source is deleted": {
			func(s *suspension) { s.Delete(s.source) },
			"suspended: would delete 2", v1.ReasonSourceDeleted, 0, v1.ReasonSourceDeleted, 0,
		},
		"a namespace gets the label": {
			func(s *suspension) { s.label(s.other, s.selected()) },
			"suspended: would create 1; 2 are in sync", v1.ReasonSuspended, 1, v1.ReasonProjected, 3,
		},
		"a namespace loses the label": {
			func(s *suspension) { s.label(s.one, `{"group":null}`) },
			"suspended: would delete 1; 1 is in sync", v1.ReasonSuspended, 0, v1.ReasonProjected, 1,
		},
		"all at a time": {
			func(s *suspension) {
				s.label(s.one, `{"group":null}`)
				s.label(s.other, s.selected())
				s.Merge(s.source, `{"data":{"ca.crt":"bmV3"}}`)
			},
			"suspended: would create 1, update 1, delete 1; none is in sync", v1.ReasonSuspended, 2, v1.ReasonProjected, 2,
		},
		"the rule has an overlay": {
			func(s *suspension) { s.Merge(s.rule, `{"spec":{"overlay":{"labels":{"a":"b"}}}}`) },
			"suspended: would update 2; none is in sync", v1.ReasonSuspended, 2, v1.ReasonProjected, 2,
		},
		"the rule has another name for its copies": {
			func(s *suspension) { s.Merge(s.rule, `{"spec":{"destination":{"name":"other"}}}`) },
			"suspended: would create 2, delete 2; none is in sync", v1.ReasonSuspended, 2, v1.ReasonProjected, 2,
		},
		"the rule has another kind of copies": {
			func(s *suspension) { s.Merge(s.rule, `{"spec":{"destination":{"kind":null},"content":null}}`) },
			"suspended: would create 2, delete 2; none is in sync", v1.ReasonSuspended, 2, v1.ReasonProjected, 2,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := suspends(t)
			requests := s.requests(func() {
				test.cause(s)
				s.writtenSays(test.written)
				s.quiet()
			})
			assert.Empty(t, writes(requests))
			s.writtenSays(test.written)
			ready := s.Says(s.rule, v1.ConditionReady, "", test.ready)
			assert.Equal(t, new(test.held), s.rule.Status.NamespacesHeld)
			stalled := s.stalled()
			assert.Equal(t, ready.Status == metav1.ConditionFalse, stalled, "somebody has to act")

			s.Merge(s.rule, `{"spec":{"suspend":null}}`)
			s.Says(s.rule, v1.ConditionReady, "", test.resumed)
			require.Eventually(t, func() bool { return len(s.copies()) == test.left }, env.Timeout, env.Interval)
			s.quiet()
			assert.Len(t, s.copies(), test.left)
			require.NoError(t, s.Client.Get(t.Context(), client.ObjectKeyFromObject(s.rule), s.rule))
			assert.Nil(t, s.rule.Status.NamespacesHeld)
			assert.NotEmpty(t, s.rule.Finalizers)
			assert.NotEmpty(t, s.rule.Annotations[v1.AnnotationWrittenKinds])
		})
	}
}
