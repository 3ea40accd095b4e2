package property_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/oracle"
)

// restoreLimit is how long after a restore everything has to be as it has to be.
const restoreLimit = 2 * time.Minute

// TestStorageRestoredUnderARunningOperator restores etcd from a snapshot under an operator that goes on. What the operator knows is then
// of a history that never was: its versions are newer than those of the API server, for long or only for a moment.
func TestStorageRestoredUnderARunningOperator(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ lost, since int }{
		"versions of the past are long ahead":     {lost: 400, since: 0},
		"versions of the past are soon overtaken": {lost: 0, since: 400},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane, err := env.Start(env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager())
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, plane.Stop()) })
			d := newDriverOn(t, plane, 0x8001)
			d.beforeTheSnapshot()
			snapshot, err := plane.TakeSnapshot()
			require.NoError(t, err)
			foreign := maps.Clone(d.foreign)
			d.afterTheSnapshot()
			d.count(test.lost)

			mark := fixture.Mark(t, plane)
			require.NoError(t, plane.RestoreSnapshot(t.Context(), snapshot))
			d.count(test.since)
			d.foreign = foreign
			clear(d.owners)
			began := time.Now()
			d.afterTheRestore()
			d.quietWithin(restoreLimit)
			t.Logf("all is as it has to be %s after the restore", time.Since(began).Round(time.Second))
			for _, request := range fixture.RequestsSince(t, plane, mark, d.user) {
				deleted := request.Verb == "delete" && request.Resource == "configmaps" && request.Code < http.StatusMultipleChoices
				assert.False(t, deleted, "%s: every copy is one of a rule that lives", request)
			}
			d.silent()
		})
	}
}

// beforeTheSnapshot makes what the snapshot holds. It is in sync.
func (d *driver) beforeTheSnapshot() {
	d.t.Helper()
	for _, role := range []string{"n1", "n2", "n3", "n4", "n5", "n6"} {
		d.namespace(role)
	}
	d.red("n2")
	d.red("n3")
	for _, name := range []string{"edited", "deleted", "vetoed", "let-go"} {
		d.source("n1", name)
	}
	d.start()
	d.fanOut("c1", "n1", "edited")
	d.fanOut("c2", "n1", "deleted", d.name("n3"))
	d.fanOut("c3", "n1", "vetoed")
	d.fanOut("c4", "n1", "let-go")
	d.quiet()
}

// afterTheSnapshot makes what the restore undoes, and waits until the operator has done its part.
func (d *driver) afterTheSnapshot() {
	d.t.Helper()
	ctx := context.Background()
	require.NoError(d.t, d.write(configMap, "n1", "edited", "blue", true, `"true"`, 3))
	require.NoError(d.t, d.write(configMap, "n1", "vetoed", "blue", true, `"false"`, 1))
	deleted := d.at(configMap, "n1", "deleted")
	require.NoError(d.t, d.client.Delete(ctx, deleted))
	delete(d.foreign, oracle.PlaceOf(deleted))
	require.NoError(d.t, d.client.Delete(ctx, &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name("c4")}}))
	d.source("n1", "never")
	d.fanOut("c5", "n1", "never")
	require.NoError(d.t, d.patch(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("n2")}}, `{"metadata":{"labels":{"group":null}}}`))
	d.red("n5")
	d.namespace("n7")
	d.red("n7")
	require.NoError(d.t, d.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("n3")}}))
	d.quiet()
}

// afterTheRestore changes an object of each kind that the operator watches, so that it has to take notice of what is new. No copy is
// unwanted by it.
func (d *driver) afterTheRestore() {
	d.t.Helper()
	require.NoError(d.t, d.write(configMap, "n1", "edited", "green", true, `"true"`, 1))
	d.red("n6")
	d.source("n1", "new")
	d.fanOut("c6", "n1", "new")
	listed := fmt.Sprintf(`{"spec":{"destination":{"namespaces":[%q,%q]}}}`, d.name("n3"), d.name("n4"))
	require.NoError(d.t, d.patch(&v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name("c2")}}, listed))
}

// count makes so many writes that concern nobody, each of which takes a version.
func (d *driver) count(writes int) {
	d.t.Helper()
	counter := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "counter"}}
	require.NoError(d.t, client.IgnoreAlreadyExists(d.client.Create(context.Background(), counter)))
	for i := range writes {
		require.NoError(d.t, d.patch(counter, fmt.Sprintf(`{"data":{"count":"%d"}}`, i)))
	}
}
