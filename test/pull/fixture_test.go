package pull_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// pulling is a test with a RemoteCluster by the name of eu-1, which is the member behind a relay.
type pulling struct {
	*fixture.World // in the hub

	there   *fixture.World // in the member
	relay   *faults.Relay
	target  *url.URL      // of the relay
	remotes client.Client // of the hub; knows RemoteClusters
}

const remoteName = "eu-1"

// newPulling declares the RemoteCluster, and waits until it is connected.
func newPulling(t *testing.T, adapt ...func(*v1alpha1.RemoteClusterSpec)) *pulling {
	t.Helper()
	p := &pulling{World: fixture.New(t, hub.Config), there: fixture.New(t, member.Config)}
	scheme := p.World.Client.Scheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	var err error
	p.remotes, err = client.New(hub.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	config, err := member.ConfigFor(memberUser, "system:masters")
	require.NoError(t, err)
	p.target, err = url.Parse(config.Host)
	require.NoError(t, err)
	p.relay, err = faults.NewRelay(p.target.Host)
	require.NoError(t, err)
	t.Cleanup(p.relay.Close)
	p.setKubeconfig()
	p.declare(adapt...)
	return p
}

// declare creates the RemoteCluster, and waits until it is connected.
func (p *pulling) declare(adapt ...func(*v1alpha1.RemoteClusterSpec)) {
	p.T.Helper()
	spec := v1alpha1.RemoteClusterSpec{
		Access:            v1alpha1.ClusterAccess{Kubeconfig: &v1alpha1.KubeconfigAccess{Secret: remoteName}},
		AllowedNamespaces: &v1.NamespaceSelector{},
	}
	for _, change := range adapt {
		change(&spec)
	}
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: remoteName}, Spec: spec}
	require.NoError(p.T, p.remotes.Create(p.T.Context(), remote))
	p.T.Cleanup(p.deleteRemote)
	p.connected()
}

// setKubeconfig writes a kubeconfig of the member with a new certificate, by way of the relay, into the Secret.
func (p *pulling) setKubeconfig() {
	p.T.Helper()
	p.setKubeconfigOf(memberUser, "system:masters")
}

// setKubeconfigOf does as setKubeconfig, for a user in these groups.
func (p *pulling) setKubeconfigOf(user string, groups ...string) {
	p.T.Helper()
	config, err := member.ConfigFor(user, groups...)
	require.NoError(p.T, err)
	server := &url.URL{Scheme: "https", Host: p.relay.Address()}
	content, err := clientcmd.Write(clientcmdapi.Config{
		CurrentContext: "c", Contexts: map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "c"}},
		Clusters: map[string]*clientcmdapi.Cluster{"c": {Server: server.String(), CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"c": {
			Token: config.BearerToken, ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
		}},
	})
	require.NoError(p.T, err)
	secrets := kubernetes.NewForConfigOrDie(hub.Config).CoreV1().Secrets(operators)
	_ = secrets.Delete(p.T.Context(), remoteName, metav1.DeleteOptions{})
	_, err = secrets.Create(p.T.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: remoteName}, Data: map[string][]byte{"kubeconfig": content},
	}, metav1.CreateOptions{})
	require.NoError(p.T, err)
}

func (p *pulling) remote() *v1alpha1.RemoteCluster {
	p.T.Helper()
	remote := &v1alpha1.RemoteCluster{}
	require.NoError(p.T, p.remotes.Get(p.T.Context(), client.ObjectKey{Name: remoteName}, remote))
	return remote
}

// connected waits until the RemoteCluster is connected.
func (p *pulling) connected() {
	p.T.Helper()
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		conditions := p.remote().Status.Conditions
		assert.True(c, meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady), "%v", conditions)
	}, env.Timeout, env.Interval)
}

func (p *pulling) editRemote(change func(*v1alpha1.RemoteClusterSpec)) {
	p.T.Helper()
	remote := p.remote()
	before := remote.DeepCopy()
	change(&remote.Spec)
	require.NoError(p.T, p.remotes.Patch(p.T.Context(), remote, client.MergeFrom(before)))
}

// label patches a namespace of the hub.
func (p *pulling) label(namespace, patch string) {
	p.T.Helper()
	p.Merge(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, patch)
}

func (p *pulling) deleteRemote() {
	p.T.Helper()
	remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: remoteName}}
	require.NoError(p.T, client.IgnoreNotFound(p.remotes.Delete(context.Background(), remote)))
}

// consenting is a ConfigMap in the namespace of the sources whose owner consents.
const consenting = `
apiVersion: v1
kind: ConfigMap
metadata:
  namespace: $HOME
  name: roots
  annotations: {projection.sh/projectable: "true", projection.sh/exportable: "true"}
data: {bundle: first}`

// pull creates a Projection of the object in the member.
func (p *pulling) pull(object *unstructured.Unstructured, adapt ...func(*v1.Projection)) *v1.Projection {
	p.T.Helper()
	return p.pullAs("pulled", object, adapt...)
}

// pullAs creates a Projection of that name. It ends with the test: the next one has a RemoteCluster of the same name.
func (p *pulling) pullAs(name string, object *unstructured.Unstructured, adapt ...func(*v1.Projection)) *v1.Projection {
	p.T.Helper()
	rule := p.Project(name, object, append(adapt, func(rule *v1.Projection) { rule.Spec.Source.Cluster = remoteName })...)
	p.T.Cleanup(func() {
		p.Delete(rule)
		require.Eventually(p.T, func() bool {
			return apierrors.IsNotFound(p.World.Client.Get(context.Background(), client.ObjectKeyFromObject(rule), &v1.Projection{}))
		}, env.Timeout, env.Interval)
	})
	return rule
}

// holds waits until the copy has the data.
func (p *pulling) holds(like *unstructured.Unstructured, bundle string) *unstructured.Unstructured {
	p.T.Helper()
	return p.Exists(like, p.Away, "roots", func(copied *unstructured.Unstructured) bool {
		found, _, _ := unstructured.NestedString(copied.Object, "data", "bundle")
		return found == bundle
	})
}
