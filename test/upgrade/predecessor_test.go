package upgrade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
)

// predecessor is the field manager of the copies that be0x74a/projection wrote: the name of its program.
const predecessor = client.FieldOwner("manager")

// succession is a cluster in which the operator has taken over the rules and copies of be0x74a/projection.
type succession struct {
	*fixture.World
	plane                         *env.Environment
	operator                      *manager.InProcess
	projection, clusterProjection *unstructured.Unstructured
	copies                        []*unstructured.Unstructured // as the predecessor left them
}

// succeed installs the operator on the rules and copies of be0x74a/projection, as docs/migration says, and runs it with the permissions
// that the installation gives.
func succeed(t *testing.T) succession {
	t.Helper()
	plane, err := env.Start(env.WithCRDs(env.CRDs()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, plane.Stop()) })
	w := fixture.NewEmpty(t, plane.Config)
	rules := leave(w, "rules.yaml")
	projection, clusterProjection := rules[len(rules)-2], rules[len(rules)-1]
	w.Define("$PROJECTION", string(projection.GetUID()))
	w.Define("$CLUSTER_PROJECTION", string(clusterProjection.GetUID()))
	copies := leave(w, "copies.yaml")

	install := []string{"install", "projection", env.Chart(), "--namespace", "projection-system", "--create-namespace"}
	_, err = plane.Helm(t.Context(), install...)
	require.ErrorContains(t, err, "invalid ownership metadata", "Helm installed over CRDs that it does not know")
	_, err = plane.Helm(t.Context(), append(install, "--take-ownership")...)
	require.NoError(t, err)
	config, err := plane.ConfigFor("system:serviceaccount:projection-system:projection")
	require.NoError(t, err)
	operator := manager.Start(config, func(*app.Options) {})
	t.Cleanup(func() { assert.NoError(t, operator.Stop()) })
	w.Ready(projection.DeepCopy())
	w.Ready(clusterProjection.DeepCopy())
	return succession{w, plane, operator, projection, clusterProjection, copies}
}

func TestWhatAPredecessorLeftIsTakenOver(t *testing.T) {
	w := succeed(t)
	projection, clusterProjection, copies := w.projection, w.clusterProjection, w.copies
	renamed, stale := copies[0], copies[1]
	w.Gone(stale)
	for _, before := range []*unstructured.Unstructured{copies[0], copies[2], copies[3]} {
		after := found(w.World, before)
		assert.Equal(t, before.GetUID(), after.GetUID(), "the copy was replaced")
		assert.NotContains(t, after.GetAnnotations(), v1.AnnotationProjectable, "consent was copied")
		assert.Equal(t, before.GetNamespace()+"/"+before.GetName(), after.GetAnnotations()[v1.AnnotationPlace])
		for _, entry := range after.GetManagedFields() {
			assert.NotEqual(t, string(predecessor), entry.Manager, "the former manager still owns fields")
		}
	}
	after := found(w.World, renamed)
	data, _, _ := unstructured.NestedStringMap(after.Object, "data")
	assert.Equal(t, map[string]string{"log-level": "info"}, data, "the key that the source lacks is gone")
	assert.Equal(t, "tenant-a", after.GetLabels()["tenant"])
	assert.NotContains(t, after.GetLabels(), "app.kubernetes.io/managed-by", "a label by which Helm finds its objects")
	for _, rule := range []*unstructured.Unstructured{projection, clusterProjection} {
		now := found(w.World, rule)
		assert.Equal(t, rule.GetFinalizers(), now.GetFinalizers())
		assert.Equal(t, rule.GetGeneration(), now.GetGeneration(), "the spec was changed")
		w.Delete(rule)
		w.Gone(rule)
	}
	for _, copied := range copies {
		w.Gone(copied)
	}
}

// TestPredecessorTakesOverAgain goes the way back of docs/migration. That operator finds its rules by their finalizers and its copies by their
// annotations and labels, and replaces a copy as a whole.
func TestPredecessorTakesOverAgain(t *testing.T) {
	w := succeed(t)
	w.Gone(w.copies[1])
	require.NoError(t, w.operator.Stop())
	_, err := w.plane.Helm(t.Context(), "uninstall", "projection", "--namespace", "projection-system")
	require.NoError(t, err)

	for _, rule := range []*unstructured.Unstructured{w.projection, w.clusterProjection} {
		now := found(w.World, rule)
		assert.Nil(t, now.GetDeletionTimestamp())
		assert.Equal(t, rule.GetFinalizers(), now.GetFinalizers())
		assert.Equal(t, rule.Object["spec"], now.Object["spec"])
	}
	for _, before := range []*unstructured.Unstructured{w.copies[0], w.copies[2], w.copies[3]} {
		now := found(w.World, before)
		for key, value := range before.GetLabels() {
			if strings.HasPrefix(key, "projection.sh/owned-by-") {
				assert.Equal(t, value, now.GetLabels()[key])
			}
		}
		for key, value := range before.GetAnnotations() {
			if strings.HasPrefix(key, "projection.sh/owned-by-") {
				assert.Equal(t, value, now.GetAnnotations()[key])
			}
		}
		written := before.DeepCopy()
		unstructured.RemoveNestedField(written.Object, "metadata", "managedFields")
		written.SetResourceVersion(now.GetResourceVersion())
		require.NoError(t, w.Client.Update(t.Context(), written, predecessor))
		after := found(w.World, before)
		assert.Equal(t, before.GetLabels(), after.GetLabels())
		assert.Equal(t, before.GetAnnotations(), after.GetAnnotations(), "an annotation of this operator is left")
		assert.Equal(t, before.Object["data"], after.Object["data"])
	}
}

// leave creates the objects of a file as the predecessor does, and returns them as they are then.
func leave(w *fixture.World, file string) []*unstructured.Unstructured {
	w.T.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "be0x74a", file))
	require.NoError(w.T, err)
	var objects []*unstructured.Unstructured
	for manifest := range strings.SplitSeq(string(content), "\n---\n") {
		object := w.Object(manifest)
		status := object.DeepCopy()
		require.NoError(w.T, w.Client.Create(w.T.Context(), object, predecessor))
		if status.Object["status"] != nil {
			status.SetResourceVersion(object.GetResourceVersion())
			require.NoError(w.T, w.Client.Status().Update(w.T.Context(), status, &client.SubResourceUpdateOptions{
				UpdateOptions: client.UpdateOptions{FieldManager: string(predecessor)},
			}))
		}
		objects = append(objects, object)
	}
	return objects
}

func found(w *fixture.World, object *unstructured.Unstructured) *unstructured.Unstructured {
	w.T.Helper()
	now, err := w.Get(object, object.GetNamespace(), object.GetName())
	require.NoError(w.T, err)
	return now
}
