package integration_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// sharesIn creates an object in the namespace that a selector matches.
func (w *world) sharesIn(namespace, name string) {
	w.T.Helper()
	w.Apply(fmt.Sprintf(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  namespace: %s
  labels: {share: "yes"}
  annotations: {projection.sh/projectable: "true"}
data: {color: red, of: %s}
`, name, namespace, name))
}

// The sources move to another namespace, with the same content. Then one cannot be read.
func TestSelectedSourcesMoveAndOneIsUnreadable(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	w.grant("reader", w.Away, "create patch")
	w.grantNamed("a", "b")
	rule := w.selectingAs(asAccount("reader"))
	w.Ready(rule)
	uid := w.Exists(a, w.Away, "a", fixture.Anything).GetUID()
	other := w.member(`{}`)
	w.sharesIn(other, "a")
	w.sharesIn(other, "b")
	role := &rbacv1.Role{}
	role.Namespace, role.Name = other, "r"
	role.Rules = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"a", "b"}, Verbs: []string{"get"}}}
	require.NoError(t, w.Client.Create(t.Context(), role))
	binding := &rbacv1.RoleBinding{}
	binding.Namespace, binding.Name = other, "r"
	binding.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "r"}
	binding.Subjects = []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: "reader"}}
	require.NoError(t, w.Client.Create(t.Context(), binding))
	w.knows("reader", true, authorizationv1.ResourceAttributes{Namespace: other, Verb: "get", Resource: "configmaps", Name: "a"})
	w.Merge(rule, `{"spec":{"source":{"namespace":"`+other+`"}}}`)
	w.settles()
	w.Ready(rule)
	t.Log(w.Exists(a, w.Away, "a", fixture.Anything).GetAnnotations())
	w.Delete(binding)
	w.knows("reader", false, authorizationv1.ResourceAttributes{Namespace: other, Verb: "get", Resource: "configmaps", Name: "a"})
	w.Merge(w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: `+other+`}}`), `{"data":{"color":"blue"}}`)
	w.settles()
	got, err := w.Get(a, w.Away, "a")
	require.NoError(t, err, "the copy of an unreadable source was deleted")
	require.Equal(t, uid, got.GetUID())
}

// The same with retain: every copy has to name its source, though its content is in sync.
func TestSelectedSourcesMoveWithRetain(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.shares("b")
	rule := w.selectingAs(retaining(v1.RetainSourceGone))
	w.Ready(rule)
	w.Exists(a, w.Away, "a", fixture.Anything)
	other := w.member(`{}`)
	w.sharesIn(other, "a")
	w.sharesIn(other, "b")
	w.Merge(rule, `{"spec":{"source":{"namespace":"`+other+`"}}}`)
	w.Exists(a, w.Away, "a", func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()["projection.sh/source"] == "ConfigMap/"+other+"/a"
	})
	w.Ready(rule)
}

// The sources move to a namespace where the account may read none of them yet.
func TestSelectedSourcesMoveToUnreadable(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	w.grant("reader", w.Away, "create patch")
	w.grantNamed("a")
	rule := w.selectingAs(asAccount("reader"))
	w.Ready(rule)
	uid := w.Exists(a, w.Away, "a", fixture.Anything).GetUID()
	other := w.member(`{}`)
	w.sharesIn(other, "a")
	w.Merge(rule, `{"spec":{"source":{"namespace":"`+other+`"}}}`)
	w.Says(rule, v1.ConditionSourceResolved, "False", v1.ReasonSourceFetchFailed)
	w.settles()
	got, err := w.Get(a, w.Away, "a")
	require.NoError(t, err, "the copy was deleted, and its new source cannot be read")
	require.Equal(t, uid, got.GetUID())
}

// The label that a value depends on changes while the sources of a new rule are listed.
func TestSelectedTargetLabelChangesDuringList(t *testing.T) {
	w := newWorld(t)
	one := w.member(fmt.Sprintf(`{"group":%q,"color":"red"}`, w.Home))
	a := w.shares("a")
	namespace := w.Object(fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", one))
	var done atomic.Bool
	hook(t, func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/namespaces/"+w.Home+"/configmaps") && r.URL.Query().Get("watch") == "" && done.CompareAndSwap(false, true) {
			if err := w.Client.Patch(t.Context(), namespace.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"color":"blue"}}}`))); err != nil {
				t.Error(err)
			}
			<-time.After(time.Second) // the answer is late, and the event comes before it
		}
		return nil
	})
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`, `overlay: {fields: [{path: data.color, expression: "target.labels['color']"}]}`)
	w.Ready(rule)
	require.True(t, done.Load())
	w.Exists(a, one, "a", func(o *unstructured.Unstructured) bool { return data(o, "color") == "blue" })
}
