package hostile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/test/env/fixture"
)

// world is what one test sees of the cluster. Tests run in parallel.
type world struct{ *fixture.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return &world{fixture.New(t, cluster.Config)}
}

// read returns the object as it is now, nil if there is none.
func (w *world) read(like *unstructured.Unstructured, namespace, name string) *unstructured.Unstructured {
	w.T.Helper()
	object, err := w.Get(like, namespace, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.T, err)
	return object
}

// unchanged checks that the object is there, to the byte.
func (w *world) unchanged(object *unstructured.Unstructured) {
	w.T.Helper()
	now := w.read(object, object.GetNamespace(), object.GetName())
	require.NotNil(w.T, now, "it is gone")
	assert.Equal(w.T, object.Object, now.Object)
}

// becomes waits until there is a copy away of which the condition holds.
func (w *world) becomes(source *unstructured.Unstructured, holds func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	w.T.Helper()
	return w.Exists(source, w.Away, source.GetName(), holds)
}

// project creates a Projection of the source into the namespace away.
func (w *world) project(source *unstructured.Unstructured, adapt ...func(*v1.Projection)) *v1.Projection {
	w.T.Helper()
	return w.Project("", source, append(adapt, func(rule *v1.Projection) { rule.GenerateName = "rule-" })...)
}

// everywhere creates a ClusterProjection of the source into namespaces with the label, and deletes it after the test.
func (w *world) everywhere(source *unstructured.Unstructured, key, value string) *v1.ClusterProjection {
	w.T.Helper()
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "rule-"},
		Spec: v1.ClusterProjectionSpec{
			Source:      fixture.RefTo(source),
			Destination: v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{key: value}}},
		},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), rule))
	w.T.Cleanup(func() {
		w.Delete(rule)
		w.Gone(rule)
	})
	return rule
}

// says waits until the rule is ready, or not, for the reason, and returns the message.
func (w *world) says(rule owner.Object, reason string) string {
	w.T.Helper()
	return w.Says(rule, v1.ConditionReady, "", reason).Message
}

// entry returns an entry of a ConfigMap or Secret.
func entry(object *unstructured.Unstructured, key string) string {
	value, _, _ := unstructured.NestedString(object.Object, "data", key)
	return value
}

// configMap is the manifest of a source that consents.
const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
data: {color: red}
`

func rawMerge(patch string) client.Patch {
	return client.RawPatch("application/merge-patch+json", []byte(patch))
}
