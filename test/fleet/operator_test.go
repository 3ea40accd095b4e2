package fleet_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/test/env"
)

// operators is the namespace of the hub with the kubeconfigs.
const operators = metav1.NamespaceDefault

// operator is a process that keeps RemoteClusters of the hub connected.
type operator struct {
	*remotecluster.Registry

	client client.Client // reads from the API server, as an administrator
	user   string        // by which the hub knows the operator
	stop   func()
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, clientgoscheme.AddToScheme(scheme))
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	return scheme
}

// startOperator runs an operator until the test ends.
func startOperator(t *testing.T, user string) *operator {
	t.Helper()
	config, err := hub.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	scheme := newScheme(t)
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Controller: controllerconfig.Controller{SkipNameValidation: new(true)},
	})
	require.NoError(t, err)
	o := &operator{user: user}
	o.client, err = client.New(hub.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	o.Registry, err = remotecluster.Add(mgr, remotecluster.Options{
		Namespace: operators, UserAgent: "hub/1", InCluster: func() (fleet.Access, error) { return remotecluster.AccessOf(config) },
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	o.stop = func() {
		cancel()
		if err, isFirst := <-ended; isFirst {
			require.NoError(t, err)
			close(ended)
		}
	}
	t.Cleanup(func() { o.stop() })
	return o
}

// declare creates a RemoteCluster, which is deleted when the test ends.
func (o *operator) declare(t *testing.T, name string, spec v1alpha1.RemoteClusterSpec) *v1alpha1.RemoteCluster {
	t.Helper()
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	require.NoError(t, o.client.Create(t.Context(), remote))
	t.Cleanup(func() { require.NoError(t, client.IgnoreNotFound(o.client.Delete(context.Background(), remote))) })
	return remote
}

// declareSecret creates a RemoteCluster that names a Secret of the same name.
func (o *operator) declareSecret(t *testing.T, name string) *v1alpha1.RemoteCluster {
	t.Helper()
	return o.declare(t, name, v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{Kubeconfig: &v1alpha1.KubeconfigAccess{Secret: name}}})
}

// edit changes the spec of a RemoteCluster.
func (o *operator) edit(t *testing.T, name string, change func(*v1alpha1.RemoteClusterSpec)) {
	t.Helper()
	remote := o.read(t, name)
	before := remote.DeepCopy()
	change(&remote.Spec)
	require.NoError(t, o.client.Patch(t.Context(), remote, client.MergeFrom(before)))
}

func (o *operator) read(t *testing.T, name string) *v1alpha1.RemoteCluster {
	t.Helper()
	var remote v1alpha1.RemoteCluster
	require.NoError(t, o.client.Get(t.Context(), types.NamespacedName{Name: name}, &remote))
	return &remote
}

// says waits until the condition Ready of the RemoteCluster has the reason, and returns the RemoteCluster and the condition.
func (o *operator) says(t *testing.T, name, reason string) (*v1alpha1.RemoteCluster, metav1.Condition) {
	t.Helper()
	var remote *v1alpha1.RemoteCluster
	var condition *metav1.Condition
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		remote = o.read(t, name)
		condition = meta.FindStatusCondition(remote.Status.Conditions, v1alpha1.ConditionReady)
		if assert.NotNil(c, condition) {
			assert.Equal(c, reason, condition.Reason, condition.Message)
			assert.Equal(c, remote.Generation, condition.ObservedGeneration)
		}
	}, 2*env.Timeout, env.Interval)
	return remote, *condition
}

// connected waits until rules may use the cluster, and returns it.
func (o *operator) connected(t *testing.T, name string) *remotecluster.Member {
	t.Helper()
	o.says(t, name, v1alpha1.ReasonConnected)
	var member *remotecluster.Member
	require.Eventually(t, func() bool {
		var found bool
		member, found = o.Get(name)
		return found
	}, env.Timeout, env.Interval)
	return member
}

// setSecret writes a kubeconfig with the access into the Secret, which is deleted when the test ends.
func setSecret(t *testing.T, name string, access fleet.Access) {
	t.Helper()
	secrets := kubernetes.NewForConfigOrDie(hub.Config).CoreV1().Secrets(operators)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"kubeconfig": kubeconfig(t, access)}}
	_, err := secrets.Update(t.Context(), secret, metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		_, err = secrets.Create(t.Context(), secret, metav1.CreateOptions{})
		t.Cleanup(func() { _ = secrets.Delete(context.Background(), name, metav1.DeleteOptions{}) }) // the test may have
	}
	require.NoError(t, err)
}

func deleteSecret(t *testing.T, name string) {
	t.Helper()
	require.NoError(t, kubernetes.NewForConfigOrDie(hub.Config).CoreV1().Secrets(operators).Delete(t.Context(), name, metav1.DeleteOptions{}))
}

func kubeconfig(t *testing.T, access fleet.Access) []byte {
	t.Helper()
	content, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: "c", Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "c"}},
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: access.Server.String(), CertificateAuthorityData: access.Authorities}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"c": {
			Token: access.Token, ClientCertificateData: access.Certificate, ClientKeyData: access.Key,
		}},
	})
	require.NoError(t, err)
	return content
}

// adminAccess returns an access to the control plane with a client certificate of an administrator with that name.
func adminAccess(t *testing.T, plane *env.Environment, user string) fleet.Access {
	t.Helper()
	config, err := plane.ConfigFor(user, "system:masters")
	require.NoError(t, err)
	return accessOf(t, config)
}

// identityOf returns the uid of the namespace kube-system.
func identityOf(t *testing.T, plane *env.Environment) string {
	t.Helper()
	namespace, err := kubernetes.NewForConfigOrDie(plane.Config).CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceSystem, metav1.GetOptions{})
	require.NoError(t, err)
	return string(namespace.UID)
}
