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

const permitsNobody = `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: nobody=$HOME"}}}`

// TestNothingIsRetainedForASuspendedRule has a suspended rule retain copies.
func TestNothingIsRetainedForASuspendedRule(t *testing.T) {
	withoutLabel := `{"metadata":{"labels":{"` + v1.LabelOwnedByClusterProjectionUID + `":null}}}`
	tests := map[string]struct {
		retain v1.RetainCause
		cause  func(*suspension)
		// written is what the rule says that it would do, if anything, and reason that of Ready; requests are those for it besides the status and events.
		written, reason string
		requests        []string
		// resumed is the reason of Ready when the rule is resumed, left how many copies there are then, and ordinary how many ordinary objects.
		resumed        string
		left, ordinary int
	}{
		"a namespace loses the label": {
			v1.RetainTargetDropped, func(s *suspension) { s.label(s.one, `{"group":null}`) },
			"suspended: would retain 1; 1 is in sync", v1.ReasonSuspended, []string{"get secrets"}, v1.ReasonProjected, 1, 1,
		},
		"both namespaces lose the label": {
			v1.RetainTargetDropped, func(s *suspension) {
				s.label(s.one, `{"group":null}`)
				s.writtenSays("suspended: would retain 1; 1 is in sync")
				s.label(s.two, `{"group":null}`)
			},
			"suspended: would retain 2", v1.ReasonSuspended, []string{"get secrets", "get secrets"}, v1.ReasonNoMatchingNamespaces, 0, 2,
		},
		"the source is deleted": {
			v1.RetainSourceGone, func(s *suspension) { s.Delete(s.source) },
			"", v1.ReasonSourceDeleted, []string{"get secrets"}, v1.ReasonSourceDeleted, 2, 0,
		},
		"a copy loses its label, and the source is deleted": {
			v1.RetainSourceGone, func(s *suspension) {
				s.Merge(s.copyIn(s.one), withoutLabel)
				s.writtenSays("suspended: would create 1; 1 is in sync")
				s.Delete(s.source)
			},
			"suspended: would update 1", v1.ReasonSourceDeleted, []string{"get secrets", "get secrets", "get configmaps"}, v1.ReasonSourceDeleted, 2, 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := suspends(t, test.retain)
			requests := s.requests(func() {
				test.cause(s)
				if test.written != "" {
					s.writtenSays(test.written)
				}
				s.Says(s.rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
				s.quiet()
			})
			assert.Equal(t, test.requests, names(requestsButStatus(requests)))
			assert.True(t, s.stalled(), "somebody has to act")

			s.Merge(s.rule, `{"spec":{"suspend":null}}`)
			s.Says(s.rule, v1.ConditionReady, "", test.resumed)
			require.Eventually(t, func() bool { return len(s.copies()) == test.left }, env.Timeout, env.Interval)
			s.quiet()
			assert.Len(t, s.copies(), test.left)
			ordinary := 0
			for _, namespace := range []string{s.one, s.two} {
				if object, err := s.Get(ofKind("ConfigMap"), namespace, "root-ca"); err == nil && object.GetAnnotations()[v1.AnnotationOwnedByClusterProjection] == "" {
					ordinary++
				}
			}
			assert.Equal(t, test.ordinary, ordinary)
		})
	}
}

// TestRecordOfConsentOfASuspendedRuleEndsOnce has the owner of the source permit no namespace any more, whose copies stay for now.
func TestRecordOfConsentOfASuspendedRuleEndsOnce(t *testing.T) {
	s := suspends(t, v1.RetainSourceGone)
	recorded := func() string {
		require.NoError(t, s.Client.Get(t.Context(), client.ObjectKeyFromObject(s.rule), s.rule))
		return s.rule.Annotations[v1.AnnotationConsentingSource]
	}
	before := recorded()
	require.NotEmpty(t, before)
	ended := s.requests(func() {
		s.Merge(s.source, permitsNobody)
		s.writtenSays("suspended: would delete 2")
		s.quiet()
	})
	assert.Equal(t, 1, count(ended, "patch", "clusterprojections"), "%v", ended)
	assert.Empty(t, recorded())
	assert.Equal(t, []string{"get secrets"}, names(s.requests(func() {
		s.Merge(s.source, `{"data":{"ca.crt":"bmV3"}}`)
		s.quiet()
	})))
	assert.Empty(t, recorded())

	s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	s.writtenSays("suspended: would update 2; none is in sync")
	s.quiet()
	assert.Equal(t, before, recorded())
}

// TestCopiesWithoutTheirLabelAreLookedForOnce has a suspended rule whose source is opted out come to want a copy in another namespace.
func TestCopiesWithoutTheirLabelAreLookedForOnce(t *testing.T) {
	s := suspends(t)
	s.Merge(s.source, `{"metadata":{"annotations":{"projection.sh/projectable":"false"}}}`)
	s.writtenSays("suspended: would delete 2")
	s.quiet()
	edited := s.requests(func() {
		s.Merge(s.rule, `{"spec":{"destination":{"namespaceSelector":null,"namespaces":["`+s.one+`","`+s.two+`","`+s.other+`"]}}}`)
		s.quiet()
	})
	assert.Equal(t, 1, count(edited, "get", "configmaps"), "%v", edited)
	assert.Equal(t, []string{"get secrets"}, names(s.requests(func() {
		s.Merge(s.source, `{"data":{"ca.crt":"bmV3"}}`)
		s.quiet()
	})))
}

// requestsButStatus returns the requests except for the status of the rule and events about it.
func requestsButStatus(requests []env.Request) []env.Request {
	var others []env.Request
	for _, r := range requests {
		if r.Subresource != "status" && r.Resource != "events" {
			others = append(others, r)
		}
	}
	return others
}
