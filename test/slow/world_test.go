package slow_test

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// world is the namespaces of one test. Tests do not run in parallel, since they measure time.
type world struct {
	*fixture.World
	id     string          // of this test; namespaces bear it as the label "world", and "slow" if they are
	others map[string]bool // but home
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		World: fixture.NewEmpty(t, cluster.Config), others: map[string]bool{}, id: strings.ToLower(strings.ReplaceAll(path.Base(t.Name()), "_", "-")),
	}
	w.Timeout = timeout
	w.Home = w.namespace(false)
	delete(w.others, w.Home)
	w.Define("$HOME", w.Home)
	w.Define("$ID", w.id)
	return w
}

func (w *world) namespace(slow bool) string {
	w.T.Helper()
	labels := map[string]string{"world": w.id, "permitted": w.id}
	if slow {
		labels["slow"] = w.id
	}
	name := w.Namespace("tenant", labels)
	w.others[name] = true
	return name
}

// source creates a ConfigMap at home whose owner consents.
func (w *world) source(name string) *unstructured.Unstructured {
	return w.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, data: {color: red}}`)
}

// copies returns the colors of the ConfigMaps of that name in the namespaces of this test, but at home.
func (w *world) copies(name string) map[string]string {
	w.T.Helper()
	var list corev1.ConfigMapList
	require.NoError(w.T, w.Client.List(w.T.Context(), &list, client.MatchingFields{"metadata.name": name}))
	colors := map[string]string{}
	for _, copied := range list.Items {
		if w.others[copied.Namespace] {
			colors[copied.Namespace] = copied.Data["color"]
		}
	}
	return colors
}

// ready returns the condition Ready of the rule.
func (w *world) ready(rule owner.Object) metav1.Condition {
	w.T.Helper()
	require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(rule), rule))
	if ready := meta.FindStatusCondition(w.Conditions(rule), v1.ConditionReady); ready != nil {
		return *ready
	}
	return metav1.Condition{}
}

func mark(t *testing.T) env.AuditMark {
	t.Helper()
	mark := fixture.Mark(t, cluster)
	return mark
}

// requests returns the operator's requests for ConfigMaps with one of the verbs since the mark.
func requests(t *testing.T, mark env.AuditMark, verbs string) []env.Request {
	t.Helper()
	all := fixture.RequestsSince(t, cluster, mark, operatorUser)
	var found []env.Request
	for _, request := range all {
		if request.Resource == "configmaps" && strings.Contains(verbs, request.Verb) {
			found = append(found, request)
		}
	}
	return found
}
