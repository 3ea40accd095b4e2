package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
)

func definition(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.CRDs(), "projection.sh_remoteclusters.yaml"))
	require.NoError(t, err)
	read := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal(content, &read.Object))
	return read
}

// TestDefinitionIsDeletedUnderAConnection deletes all RemoteClusters with it.
func TestDefinitionIsDeletedUnderAConnection(t *testing.T) {
	const name = "undefined"
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, "operator-undefined")
	o.declareSecret(t, name)
	connection := o.connected(t, name)
	setSecret(t, "undefined-passes", adminAccess(t, hub, "undefined-passes"))
	o.declareSecret(t, "undefined-passes")
	o.connected(t, "undefined-passes")

	require.NoError(t, o.client.Delete(t.Context(), definition(t)))
	define := func(ctx context.Context) error {
		return client.IgnoreAlreadyExists(o.client.Create(ctx, definition(t)))
	}
	t.Cleanup(func() { require.NoError(t, define(context.Background())) })
	require.Eventually(t, func() bool {
		read := definition(t)
		return apierrors.IsNotFound(o.client.Get(t.Context(), client.ObjectKeyFromObject(read), read))
	}, env.Timeout, env.Interval)
	same, _ := o.Get(name)
	require.Same(t, connection, same)
	require.NoError(t, connection.Sure(t.Context(), 0))

	require.NoError(t, define(t.Context()))
	require.Eventually(t, func() bool {
		return o.client.List(t.Context(), &v1alpha1.RemoteClusterList{}) == nil
	}, env.Timeout, env.Interval)
	o.declareSecret(t, name)
	o.connected(t, name)
}

func TestLimitsChangeInPlace(t *testing.T) {
	const name = "limits"
	setSecret(t, name, adminAccess(t, cluster, name))
	o := startOperator(t, "operator-limits")
	o.declareSecret(t, name)
	connection := o.connected(t, name)
	for range 2 {
		slot, err := connection.Slots().Acquire(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { slot.Release(false) })
	}
	mark, err := cluster.AuditMark()
	require.NoError(t, err)
	o.edit(t, name, func(spec *v1alpha1.RemoteClusterSpec) {
		spec.Limits = v1alpha1.ClusterLimits{Concurrency: 1, TimeoutSeconds: 1}
	})
	o.connected(t, name)
	same, _ := o.Get(name)
	require.Same(t, connection, same)
	requests, err := cluster.RequestsSince(mark, name)
	require.NoError(t, err)
	assert.Empty(t, requests)
	ctx, cancel := context.WithTimeout(t.Context(), env.Interval)
	defer cancel()
	_, err = connection.Slots().Acquire(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded, "both are taken")
}
