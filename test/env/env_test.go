package env_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) {
	os.Exit(env.Main(m, &cluster, env.WithControllerManager()))
}

func TestNamespaceEndsAndTakesItsContentAlong(t *testing.T) {
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(cluster.Config)
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ending"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().Secrets("ending").Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "inside"}}, metav1.CreateOptions{})
	require.NoError(t, err)

	require.NoError(t, client.CoreV1().Namespaces().Delete(ctx, "ending", metav1.DeleteOptions{}))

	assert.Eventually(t, func() bool {
		_, err := client.CoreV1().Namespaces().Get(ctx, "ending", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, 30*time.Second, 50*time.Millisecond)
}

func TestAuditLogNamesTheUserOfARequest(t *testing.T) {
	ctx := context.Background()
	config, err := cluster.ConfigFor("auditor", "system:masters")
	require.NoError(t, err)
	mark, err := cluster.AuditMark()
	require.NoError(t, err)

	_, err = kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)

	requests, err := cluster.RequestsSince(mark, "auditor")
	require.NoError(t, err)
	require.Len(t, requests, 1)
	assert.Equal(t, "list", requests[0].Verb)
	assert.Equal(t, "configmaps", requests[0].Resource)
	assert.Equal(t, int32(200), requests[0].Code)
}

func TestProgramsAreFrozenAndRestarted(t *testing.T) {
	ctx := context.Background()
	own, err := env.Start()
	require.NoError(t, err)
	defer func() { require.NoError(t, own.Stop()) }()
	config := rest.CopyConfig(own.Config)
	config.Timeout = time.Second
	namespaces := kubernetes.NewForConfigOrDie(config).CoreV1().Namespaces()
	_, err = namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "before"}}, metav1.CreateOptions{})
	require.NoError(t, err)

	for _, program := range []env.Program{env.Etcd, env.APIServer, env.Etcd} {
		require.NoError(t, own.Freeze(program))
		require.Eventually(t, func() bool {
			_, err := namespaces.Get(ctx, "before", metav1.GetOptions{})
			return err != nil
		}, time.Minute, time.Millisecond, "%s is frozen", program)
		require.NoError(t, own.Thaw(program))
		require.NoError(t, own.WaitUntilReady(ctx))

		require.NoError(t, own.Restart(ctx, program))
		_, err = namespaces.Get(ctx, "before", metav1.GetOptions{})
		require.NoError(t, err, "%s was restarted with its data", program)
	}
}
