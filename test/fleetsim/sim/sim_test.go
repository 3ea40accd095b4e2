package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/test/fleetsim/sim"
)

const (
	home = "home"
	// soon is how long anything may take that happens.
	soon = 10 * time.Second
	// moment is how long is waited for what does not happen.
	moment = 200 * time.Millisecond
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// newCluster starts a cluster with a namespace and so many ConfigMaps, which bear a label.
func newCluster(t *testing.T, names ...string) *sim.Cluster {
	t.Helper()
	fleet, err := sim.New(1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, fleet.Close()) })
	cluster := fleet.Clusters[0]
	require.NoError(t, cluster.CreateNamespace(home, nil))
	for _, name := range names {
		require.NoError(t, cluster.Create(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: name, Labels: map[string]string{"app": name}}, Data: map[string]string{"key": "value"},
		}))
	}
	return cluster
}

func label(t *testing.T, cluster *sim.Cluster, name, value string) {
	t.Helper()
	require.NoError(t, cluster.Edit(configMaps, types.NamespacedName{Namespace: home, Name: name}, func(object runtime.Object) {
		if edited, ok := object.(*corev1.ConfigMap); ok {
			edited.Labels["app"] = value
		}
	}))
}

// TestMetadata reads with a client that wants protobuf.
func TestMetadata(t *testing.T) {
	cluster := newCluster(t, "a", "b", "c")
	client := metadata.NewForConfigOrDie(cluster.Config()).Resource(configMaps).Namespace(home)
	found, err := client.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"app": "a"}, found.Labels)
	assert.NotEmpty(t, found.ManagedFields)

	first, err := client.List(t.Context(), metav1.ListOptions{Limit: 2})
	require.NoError(t, err)
	require.Len(t, first.Items, 2)
	rest, err := client.List(t.Context(), metav1.ListOptions{Limit: 2, Continue: first.Continue})
	require.NoError(t, err)
	require.Len(t, rest.Items, 1)
	assert.Equal(t, "c", rest.Items[0].Name)
	assert.Empty(t, rest.Continue)

	events, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: first.ResourceVersion, LabelSelector: "app=a"})
	require.NoError(t, err)
	defer events.Stop()
	label(t, cluster, "b", "a")
	label(t, cluster, "a", "d")
	label(t, cluster, "c", "d")
	label(t, cluster, "a", "a")
	for _, wanted := range []struct {
		change watch.EventType
		name   string
	}{{watch.Added, "b"}, {watch.Deleted, "a"}, {watch.Added, "a"}} {
		event := next(t, events)
		assert.Equal(t, wanted.change, event.Type)
		object, ok := event.Object.(*metav1.PartialObjectMetadata)
		require.True(t, ok, "%T", event.Object)
		assert.Equal(t, wanted.name, object.Name)
		assert.Equal(t, "a", object.Labels["app"])
	}
}

func next(t *testing.T, events watch.Interface) watch.Event {
	t.Helper()
	select {
	case event, open := <-events.ResultChan():
		require.True(t, open)
		return event
	case <-time.After(soon):
		require.Fail(t, "no event came")
		return watch.Event{}
	}
}

func TestWatchFromAVersionThatIsForgotten(t *testing.T) {
	cluster := newCluster(t, "a")
	client := metadata.NewForConfigOrDie(cluster.Config()).Resource(configMaps).Namespace(home)
	before, err := client.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	label(t, cluster, "a", "b")
	cluster.Forget()
	events, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: before.ResourceVersion})
	require.NoError(t, err)
	defer events.Stop()
	event := next(t, events)
	assert.Equal(t, watch.Error, event.Type)
	assert.True(t, apierrors.IsResourceExpired(apierrors.FromObject(event.Object)), "%v", event.Object)
}

func TestTokenIsChecked(t *testing.T) {
	cluster := newCluster(t)
	former := kubernetes.NewForConfigOrDie(cluster.Config())
	_, err := former.CoreV1().Namespaces().Get(t.Context(), home, metav1.GetOptions{})
	require.NoError(t, err)
	cluster.RotateToken()
	_, err = former.CoreV1().Namespaces().Get(t.Context(), home, metav1.GetOptions{})
	assert.True(t, apierrors.IsUnauthorized(err), "%v", err)
	_, err = kubernetes.NewForConfigOrDie(cluster.Config()).CoreV1().Namespaces().Get(t.Context(), home, metav1.GetOptions{})
	assert.NoError(t, err)
}

func TestFaults(t *testing.T) {
	cluster := newCluster(t, "a")
	client := kubernetes.NewForConfigOrDie(cluster.Config()).CoreV1().ConfigMaps(home)
	read := func(within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		_, err := client.Get(ctx, "a", metav1.GetOptions{})
		return err
	}
	require.NoError(t, read(soon))
	assert.Equal(t, 1, cluster.Connections())
	cluster.Hang()
	require.ErrorIs(t, read(moment), context.DeadlineExceeded)
	cluster.Heal()
	require.NoError(t, read(soon))
	cluster.Refuse()
	require.Error(t, read(moment)) // clients try again and again
	assert.Zero(t, cluster.Connections())
	cluster.Heal()
	require.NoError(t, read(soon))
	cluster.SetLatency(soon)
	require.ErrorIs(t, read(moment), context.DeadlineExceeded)
	cluster.SetLatency(time.Millisecond)
	require.NoError(t, read(soon))
}

// TestWhatIsToldOfAChange has requests be counted, and changes be observed.
func TestWhatIsToldOfAChange(t *testing.T) {
	cluster := newCluster(t, "a")
	var changes []watch.EventType
	cluster.Observe(func(change watch.EventType, object metav1.Object) {
		assert.Equal(t, "a", object.GetName())
		changes = append(changes, change)
	})
	client := kubernetes.NewForConfigOrDie(cluster.Config()).CoreV1().ConfigMaps(home)
	_, err := client.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"key":"other"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	_, err = client.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"key":"other"}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, client.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	_, err = cluster.Get(configMaps, types.NamespacedName{Namespace: home, Name: "a"})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
	assert.Equal(t, []watch.EventType{watch.Modified, watch.Deleted}, changes)
	assert.Equal(t, map[string]int{"patch configmaps": 2, "delete configmaps": 1}, cluster.Requests())
	cluster.ForgetRequests()
	assert.Empty(t, cluster.Requests())
}
