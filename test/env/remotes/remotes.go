// Package remotes declares control planes of tests as RemoteClusters of another one.
package remotes

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/faults"
)

const (
	// Secrets is the namespace of the hub with the kubeconfigs.
	Secrets = "default"
	// User is who the operator is to the other clusters.
	User = "projection-hub"
)

// Remote is a RemoteCluster that stands for a control plane behind a relay.
type Remote struct {
	T    *testing.T
	Name string
	// Cluster is the control plane.
	Cluster *env.Environment
	// Relay is between the hub and the control plane.
	Relay *faults.Relay

	hub *env.Environment
	// server is the address that the relay leads to, and authority what has signed the certificate there; empty: those of the control plane.
	server    string
	authority []byte
	user      string
	groups    []string
	client    client.Client // of the hub; knows RemoteClusters
}

// Declare creates a RemoteCluster in the hub, and waits until it is connected.
func Declare(t *testing.T, hub, cluster *env.Environment, name string, adapt ...func(*v1alpha1.RemoteCluster)) *Remote {
	t.Helper()
	r := &Remote{T: t, Name: name, Cluster: cluster, hub: hub, user: User, groups: []string{"system:masters"}}
	scheme := fixture.Client(t, hub.Config).Scheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	var err error
	r.client, err = client.New(hub.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	r.Relay, err = faults.NewRelay(r.Server())
	require.NoError(t, err)
	t.Cleanup(r.end)
	r.SetKubeconfig()
	r.Create(adapt...)
	return r
}

// end ends the relay when the operator has ended its connection. It gives its lease back before that, which a later test may wait for.
func (r *Remote) end() {
	r.T.Helper()
	defer r.Relay.Close()
	r.Relay.Resume()
	require.Eventually(r.T, r.Relay.IsIdle, env.Timeout, env.Interval)
}

// Create creates the RemoteCluster, and waits until it is connected.
func (r *Remote) Create(adapt ...func(*v1alpha1.RemoteCluster)) {
	r.T.Helper()
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: r.Name}, Spec: v1alpha1.RemoteClusterSpec{
		Access:            v1alpha1.ClusterAccess{Kubeconfig: &v1alpha1.KubeconfigAccess{Secret: r.Name}},
		AllowedNamespaces: &v1.NamespaceSelector{},
	}}
	for _, change := range adapt {
		change(remote)
	}
	require.NoError(r.T, r.client.Create(r.T.Context(), remote))
	r.T.Cleanup(func() {
		r.Delete()
		r.Gone()
	})
	r.Connected()
}

// SetKubeconfig writes a kubeconfig with a new certificate, by way of the relay, into the Secret.
func (r *Remote) SetKubeconfig() {
	r.T.Helper()
	config, err := r.Cluster.ConfigFor(r.user, r.groups...)
	require.NoError(r.T, err)
	if r.authority != nil {
		config.CAData = r.authority
	}
	server := &url.URL{Scheme: "https", Host: r.Relay.Address()}
	content, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: "c", Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "c"}},
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: server.String(), CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"c": {
			Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
		}},
	})
	require.NoError(r.T, err)
	secrets := kubernetes.NewForConfigOrDie(r.hub.Config).CoreV1().Secrets(Secrets)
	_ = secrets.Delete(r.T.Context(), r.Name, metav1.DeleteOptions{})
	_, err = secrets.Create(r.T.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: r.Name}, Data: map[string][]byte{"kubeconfig": content},
	}, metav1.CreateOptions{})
	require.NoError(r.T, err)
}

// Through has the operator reach the cluster by way of a proxy, which has its own credentials; nil: no longer.
func (r *Remote) Through(proxy *faults.Proxy) {
	r.T.Helper()
	r.server, r.authority = "", nil
	if proxy != nil {
		var err error
		r.server, err = env.AddressOf(proxy.Config().Host)
		require.NoError(r.T, err)
		r.authority = proxy.Config().CAData
	}
	r.Relay.Switch(r.Server())
	r.SetKubeconfig()
}

// Server returns the address that the relay leads to while the cluster can be reached.
func (r *Remote) Server() string {
	r.T.Helper()
	if r.server != "" {
		return r.server
	}
	address, err := env.AddressOf(r.Cluster.Config.Host)
	require.NoError(r.T, err)
	return address
}

// As has the operator be known to the cluster as a user of these groups.
func (r *Remote) As(user string, groups ...string) {
	r.T.Helper()
	r.user, r.groups = user, groups
	r.SetKubeconfig()
}

// Get reads the RemoteCluster.
func (r *Remote) Get() *v1alpha1.RemoteCluster {
	r.T.Helper()
	remote := &v1alpha1.RemoteCluster{}
	require.NoError(r.T, r.client.Get(r.T.Context(), client.ObjectKey{Name: r.Name}, remote))
	return remote
}

// Connected waits until the RemoteCluster is connected.
func (r *Remote) Connected() {
	r.T.Helper()
	require.EventuallyWithT(r.T, func(c *assert.CollectT) {
		conditions := r.Get().Status.Conditions
		assert.True(c, meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady), "%v", conditions)
	}, env.Timeout, env.Interval)
}

// Edit changes the RemoteCluster.
func (r *Remote) Edit(change func(*v1alpha1.RemoteCluster)) {
	r.T.Helper()
	remote := r.Get()
	before := remote.DeepCopy()
	change(remote)
	require.NoError(r.T, r.client.Patch(r.T.Context(), remote, client.MergeFrom(before)))
}

// Find reads the RemoteCluster, and reports whether there is one.
func (r *Remote) Find() (remote *v1alpha1.RemoteCluster, found bool) {
	r.T.Helper()
	remote = &v1alpha1.RemoteCluster{}
	err := r.client.Get(context.Background(), client.ObjectKey{Name: r.Name}, remote)
	require.NoError(r.T, client.IgnoreNotFound(err))
	return remote, err == nil
}

// Gone waits until there is no RemoteCluster of the name.
func (r *Remote) Gone() {
	r.T.Helper()
	require.EventuallyWithT(r.T, func(c *assert.CollectT) {
		left, found := r.Find()
		assert.False(c, found, "%+v", left.Status.Conditions)
	}, env.Timeout, env.Interval)
}

// Delete deletes the RemoteCluster.
func (r *Remote) Delete() {
	r.T.Helper()
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: r.Name}}
	require.NoError(r.T, client.IgnoreNotFound(r.client.Delete(context.Background(), remote)))
}
