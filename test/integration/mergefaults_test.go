package integration_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// failing lets each read of the ConfigMap in the namespace home fail with an error that may pass.
func (w *world) failing(name string) {
	hook(w.T, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Home+"/configmaps/"+name) {
			return internalError(r)
		}
		return nil
	})
}

// An opt-out holds while a read of another layer fails with an error that may pass.
func TestOptOutOfALayerWhileReadsOfAnotherFail(t *testing.T) {
	w := newWorld(t)
	source, second := w.Apply(configMap), w.layer("second", `{shape: round}`)
	w.layer("third", `{other: "1"}`)
	rule := w.Project("merged", source, w.merging("", "second?", "third"))
	w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "other": "1"})
	w.Ready(rule)
	w.failing("third")
	w.Merge(second, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// The owner of a layer that was removed from the rule is asked while the copy cannot be written without it.
func TestRemovedLayerIsAskedWhileAnotherCannotBeRead(t *testing.T) {
	w := newWorld(t)
	source, second := w.Apply(configMap), w.layer("second", `{shape: round}`)
	w.layer("third", `{other: "1"}`)
	rule := w.Project("merged", source, w.merging("", "second", "third"))
	w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "other": "1"})
	w.Ready(rule)
	w.failing("third")
	w.Merge(rule, `{"spec":{"merge":{"layers":[{"namespace":"`+w.Home+`","name":"third"}]}}}`)
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceFetchFailed)
	w.has("merged", map[string]string{"color": "red", "size": "1", "shape": "round", "other": "1"})
	w.Merge(second, optOut)
	w.gone(ofKind("ConfigMap"), w.Away, "merged")
}

// What is read in the name of an account is counted as what is listed is.
func TestWhatAnAccountReadsToMergeIsTooLarge(t *testing.T) {
	w := newWorld(t)
	w.grant("copier", w.Home, "get")
	w.grant("copier", w.Away, "create patch get")
	source, big := w.Apply(configMap), strings.Repeat("x", 900_000)
	rule := w.Project("bundle", source, w.bundling(), asAccount("copier"))
	w.ca("a", `{a: "1"}`)
	w.has("bundle", map[string]string{"a": "1"})
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		w.ca(name, `{x: "`+big+`"}`)
	}
	said := w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonRenderFailed)
	require.Contains(t, said.Message, "have together more than 4 MiB")
}
