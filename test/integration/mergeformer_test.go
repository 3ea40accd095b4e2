package integration_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// While no list succeeds, the owner of a merged object permits the namespace no more.
func TestPermissionOfWhatIsMergedWhileListsFail(t *testing.T) {
	w := newWorld(t)
	source, b := w.Apply(configMap), w.ca("b", `{b: "2"}`)
	w.ca("a", `{a: "1"}`)
	rule := w.Project("bundle", source, w.bundling())
	w.has("bundle", map[string]string{"a": "1", "b": "2"})
	w.Ready(rule)
	w.settles()
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Home+"/configmaps") && r.URL.Query().Get("watch") == "" {
			return internalError(r)
		}
		return nil
	})
	w.permit(b, "namespaces: team=nobody")
	w.gone(ofKind("ConfigMap"), w.Away, "bundle")
}

// A copy that only has to exist names b, which is not selected any more; then the namespace loses the label by which the owner of b permits it.
func TestPermissionOfAnObjectThatIsNotSelectedAnyMore(t *testing.T) {
	w := newWorld(t)
	source, b := w.Apply(configMap), w.ca("b", `{b: "2"}`)
	w.ca("a", `{a: "1"}`)
	w.permit(b, "namespaces: team="+w.Home)
	w.label(w.Away, w.team())
	rule := w.Project("bundle", source, w.bundling(), func(rule *v1.Projection) { rule.Spec.Policy.Updates = v1.UpdateCreateOnly })
	w.has("bundle", map[string]string{"a": "1", "b": "2"})
	w.Ready(rule)
	w.settles()
	w.Merge(b, unlabel)
	w.settles()
	w.has("bundle", map[string]string{"a": "1", "b": "2"})
	w.label(w.Away, `{"team":null}`)
	w.has("bundle", map[string]string{"a": "1"})
}

// Nobody is asked of names that somebody else than the operator has written into a copy.
func TestForgedNamesOfLayers(t *testing.T) {
	w := newWorld(t)
	source, third := w.Apply(configMap), w.layer("third", `{other: "1"}`)
	w.ca("a", `{a: "1"}`)
	rule := w.Project("bundle", source, w.bundling(v1.Layer{Namespace: w.Home, Name: "third"}))
	copied := w.has("bundle", map[string]string{"a": "1", "other": "1"})
	w.Ready(rule)
	w.Delete(third)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotFound)
	w.settles()
	requests := w.requestsOf(func() {
		w.Merge(copied, `{"metadata":{"annotations":{"projection.sh/layers":"ConfigMap/`+w.Home+`/private,Secret/`+w.Home+`/private"}}}`)
		w.gone(ofKind("ConfigMap"), w.Away, "bundle")
		w.settles()
	})
	assert.Zero(t, count(requests, "get", "secrets"), "%v", requests)
	assert.LessOrEqual(t, count(requests, "get", "configmaps"), 2, "the layer that is missing: %v", requests)
}
