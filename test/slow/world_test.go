package slow_test

import (
	"context"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env"
)

const (
	soon = time.Minute
	tick = 20 * time.Millisecond
)

// world is the namespaces of one test. Tests do not run in parallel, since they measure time.
type world struct {
	t      *testing.T
	client client.Client
	id     string // of this test; namespaces bear it as the label "world", and "slow" if they are
	home   string // where sources are
	others map[string]bool
}

func newWorld(t *testing.T) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, v1.AddToScheme(scheme))
	c, err := client.New(cluster.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	w := &world{t: t, client: c, others: map[string]bool{}, id: strings.ToLower(strings.ReplaceAll(path.Base(t.Name()), "_", "-"))}
	w.home = w.namespace(false)
	delete(w.others, w.home)
	return w
}

func (w *world) namespace(slow bool) string {
	w.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "slow-", Labels: map[string]string{"world": w.id}}}
	if slow {
		namespace.Labels["slow"] = w.id
	}
	require.NoError(w.t, w.client.Create(w.t.Context(), namespace))
	w.others[namespace.Name] = true
	return namespace.Name
}

// object parses a manifest. $HOME and $ID stand for what is the test's.
func (w *world) object(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(w.t, yaml.Unmarshal([]byte(strings.NewReplacer("$HOME", w.home, "$ID", w.id).Replace(manifest)), &object.Object))
	return object
}

func (w *world) create(manifest string) *unstructured.Unstructured {
	w.t.Helper()
	object := w.object(manifest)
	require.NoError(w.t, w.client.Create(w.t.Context(), object))
	return object
}

// source creates a ConfigMap at home whose owner consents.
func (w *world) source(name string) *unstructured.Unstructured {
	return w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}, data: {color: red}}`)
}

func (w *world) merge(object client.Object, patch string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Patch(w.t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch))))
}

// deleteNow deletes the object, if it is there.
func (w *world) deleteNow(object client.Object) {
	w.t.Helper()
	require.NoError(w.t, client.IgnoreNotFound(w.client.Delete(context.WithoutCancel(w.t.Context()), object)))
}

// copies returns the colors of the ConfigMaps of that name in the namespaces of this test, but at home.
func (w *world) copies(name string) map[string]string {
	w.t.Helper()
	var list corev1.ConfigMapList
	require.NoError(w.t, w.client.List(w.t.Context(), &list, client.MatchingFields{"metadata.name": name}))
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
	w.t.Helper()
	require.NoError(w.t, w.client.Get(w.t.Context(), client.ObjectKeyFromObject(rule), rule))
	if ready := meta.FindStatusCondition(*rule.GetStatusConditions(), v1.ConditionReady); ready != nil {
		return *ready
	}
	return metav1.Condition{}
}

func (w *world) gone(object client.Object) bool {
	w.t.Helper()
	err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(object), object)
	require.NoError(w.t, client.IgnoreNotFound(err))
	return apierrors.IsNotFound(err)
}

func mark(t *testing.T) env.AuditMark {
	t.Helper()
	mark, err := cluster.AuditMark()
	require.NoError(t, err)
	return mark
}

// requests returns the operator's requests for ConfigMaps with one of the verbs since the mark.
func requests(t *testing.T, mark env.AuditMark, verbs string) []env.Request {
	t.Helper()
	all, err := cluster.RequestsSince(mark, operatorUser)
	require.NoError(t, err)
	var found []env.Request
	for _, request := range all {
		if request.Resource == "configmaps" && strings.Contains(verbs, request.Verb) {
			found = append(found, request)
		}
	}
	return found
}
