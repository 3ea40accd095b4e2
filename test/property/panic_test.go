package property_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

const panicValue = "a value that nobody may see"

// panicsAt has the operator panic at each request of the method whose path ends so, as long as it is armed. It counts them.
func (d *driver) panicsAt(method, path string) (armed *atomic.Bool, met *atomic.Int32) {
	armed, met = &atomic.Bool{}, &atomic.Int32{}
	armed.Store(true)
	d.config = env.Intercept(d.config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if armed.Load() && request.Method == method && strings.HasSuffix(request.URL.Path, path) {
			met.Add(1)
			panic(panicValue)
		}
		return next.RoundTrip(request)
	})
	return armed, met
}

// condition returns a condition of a ClusterProjection, and its failures.
func (d *driver) condition(rule, conditionType string) (metav1.Condition, []v1.NamespaceFailure) {
	d.t.Helper()
	var found v1.ClusterProjection
	require.NoError(d.t, d.client.Get(context.Background(), client.ObjectKey{Name: d.name(rule)}, &found))
	if condition := meta.FindStatusCondition(found.Status.Conditions, conditionType); condition != nil {
		return *condition, found.Status.Failures
	}
	return metav1.Condition{}, nil
}

// TestPanicCostsOneRuleOnly has the operator panic wherever it deals with one object.
func TestPanicCostsOneRuleOnly(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		seed                  uint64
		method, path          string
		failures              int  // of single namespaces
		copied                bool // into the other namespace of the rule
		conditionType, reason string
	}{
		"reading the source": {0x7001, http.MethodGet, "/configmaps/bad", 0, false, v1.ConditionReady, v1.ReasonInternalError},
		"writing a copy":     {0x7002, http.MethodPatch, "-n3/configmaps/bad", 1, true, v1.ConditionReady, v1.ReasonInternalError},
		"claiming the rule":  {0x7003, http.MethodPatch, "-bad", 0, false, v1.ConditionReady, v1.ReasonInternalError},
		"writing the status": {0x7004, http.MethodPut, "-bad/status", 0, true, v1.ConditionReady, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newStage(t, test.seed, "n1", "n2", "n3", "n4")
			armed, met := d.panicsAt(test.method, test.path)
			d.source("n1", "bad")
			d.source("n1", "good")
			d.start()
			d.fanOut("bad", "n1", "bad", d.name("n2"), d.name("n3"))
			require.Eventually(t, func() bool { return met.Load() > 1 }, timeout, interval, "it is tried again")
			require.Eventually(t, func() bool {
				condition, _ := d.condition("bad", test.conditionType)
				return condition.Reason == test.reason
			}, timeout, interval)
			condition, failures := d.condition("bad", test.conditionType)
			assert.Len(t, failures, test.failures)
			assert.NotContains(t, condition.Message, panicValue)
			if test.reason == v1.ReasonInternalError {
				assert.Equal(t, metav1.ConditionFalse, condition.Status, "it is no success")
				assert.Contains(t, condition.Message, "the operator panicked")
			}
			require.Eventually(t, func() bool {
				state, err := d.state()
				require.NoError(t, err)
				return (state.Objects[oracle.PlaceOf(d.at(configMap, "n2", "bad"))] != nil) == test.copied
			}, timeout, interval)

			d.fanOut("good", "n1", "good", d.name("n4"))
			require.Eventually(t, func() bool {
				condition, _ := d.condition("good", v1.ConditionReady)
				return condition.Status == metav1.ConditionTrue
			}, timeout, interval, "another rule is served")
			assert.True(t, d.alive(), "the operator goes on")

			armed.Store(false)
			d.quiet()
		})
	}
}
