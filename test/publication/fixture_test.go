package publication_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/faults"
)

const remoteName = "eu-1"

var definitionKind = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// publishing is a test with a service in the hub and a consumer in the member, behind a relay.
type publishing struct {
	*fixture.World // in the hub

	there   *fixture.World // in the member
	relay   *faults.Relay
	target  *url.URL
	trusted []byte        // the authority of the proxy by which the member is reached, if it is
	remotes client.Client // of the hub; knows the kinds of v1alpha1
	group   string        // of the kind of the service
	offered string        // the group that consumers see
	name    string        // of the PublishedResource

	serviceName, consumerName string // of the RemoteClusters
	user                      string // who the operator is to the member
	groups                    []string

	service, consumer dynamic.Interface
}

// newPublishing defines the kind of the service, and connects the member.
func newPublishing(t *testing.T) *publishing {
	t.Helper()
	p := newBetween(t, hub, member)
	p.consumerName = remoteName
	return p
}

// homeName is the RemoteCluster that is the hub itself.
const homeName = "home"

// newReversed has the service in the member, and the consumer in the hub.
func newReversed(t *testing.T) *publishing {
	t.Helper()
	p := newBetween(t, member, hub)
	p.consumerName, p.serviceName = homeName, remoteName
	p.declare(homeName, v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}})
	return p
}

// newBetween connects the member, and defines the kind of the service.
func newBetween(t *testing.T, service, consumer *env.Environment) *publishing {
	t.Helper()
	p := &publishing{
		World: fixture.New(t, hub.Config), there: fixture.New(t, consumer.Config), name: "certs-" + rand.String(6),
		service: dynamic.NewForConfigOrDie(service.Config), consumer: dynamic.NewForConfigOrDie(consumer.Config),
		user: memberUser, groups: []string{"system:masters"},
	}
	p.group, p.offered = p.name+".service.example.org", p.name+".example.com"
	scheme := p.World.Client.Scheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	var err error
	p.remotes, err = client.New(hub.Config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	p.defineService(definition)
	config, err := member.ConfigFor(memberUser, "system:masters")
	require.NoError(t, err)
	p.target, err = url.Parse(config.Host)
	require.NoError(t, err)
	p.relay, err = faults.NewRelay(p.target.Host)
	require.NoError(t, err)
	t.Cleanup(p.relay.Close)
	p.setKubeconfig()
	p.declare(remoteName, v1alpha1.ClusterAccess{Kubeconfig: &v1alpha1.KubeconfigAccess{Secret: remoteName}})
	return p
}

// definition is that of the service.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.$GROUP}
spec:
  group: $GROUP
  scope: Namespaced
  names: {kind: Certificate, plural: certificates, singular: certificate, listKind: CertificateList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                secretName: {type: string}
                passwordName: {type: string}
                issuer: {type: string}
                days: {type: integer, minimum: 1}
            status:
              type: object
              properties:
                phase: {type: string}
                serial: {type: integer}
                internal: {type: string}
`

func (p *publishing) defineService(text string) {
	p.T.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(p.T, yaml.Unmarshal([]byte(strings.ReplaceAll(text, "$GROUP", p.group)), &object.Object))
	_, err := p.service.Resource(definitionKind).Apply(p.T.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "service", Force: true})
	require.NoError(p.T, err)
	p.T.Cleanup(func() {
		_ = p.service.Resource(definitionKind).Delete(context.Background(), object.GetName(), metav1.DeleteOptions{})
		_ = p.consumer.Resource(definitionKind).Delete(context.Background(), "certificates."+p.offered, metav1.DeleteOptions{})
	})
	p.established(p.service, object.GetName())
}

// established waits until the definition is served.
func (p *publishing) established(in dynamic.Interface, name string) *unstructured.Unstructured {
	p.T.Helper()
	var found *unstructured.Unstructured
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		var err error
		found, err = in.Resource(definitionKind).Get(p.T.Context(), name, metav1.GetOptions{})
		require.NoError(c, err)
		conditions, _, _ := unstructured.NestedSlice(found.Object, "status", "conditions")
		isServed := false
		for _, condition := range conditions {
			fields := condition.(map[string]any) //nolint:forcetypeassert // it is one
			isServed = isServed || fields["type"] == "Established" && fields["status"] == "True"
		}
		assert.True(c, isServed)
	}, env.Timeout, env.Interval)
	return found
}

func (p *publishing) declare(name string, access v1alpha1.ClusterAccess) {
	p.T.Helper()
	remote := &v1alpha1.RemoteCluster{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"certs": "on", "region": "eu"}},
		Spec:       v1alpha1.RemoteClusterSpec{Access: access},
	}
	require.NoError(p.T, p.remotes.Create(p.T.Context(), remote))
	p.T.Cleanup(func() {
		require.NoError(p.T, client.IgnoreNotFound(p.remotes.Delete(context.Background(), remote)))
		require.EventuallyWithT(p.T, func(c *assert.CollectT) {
			assert.Error(c, p.remotes.Get(context.Background(), client.ObjectKeyFromObject(remote), remote))
		}, env.Timeout, env.Interval)
	})
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		found := &v1alpha1.RemoteCluster{}
		require.NoError(c, p.remotes.Get(p.T.Context(), client.ObjectKey{Name: name}, found))
		assert.True(c, meta.IsStatusConditionTrue(found.Status.Conditions, v1alpha1.ConditionReady), "%v", found.Status.Conditions)
	}, env.Timeout, env.Interval)
}

// setKubeconfig writes a kubeconfig of the member, by way of the relay, into the Secret.
func (p *publishing) setKubeconfig() {
	p.T.Helper()
	config, err := member.ConfigFor(p.user, p.groups...)
	require.NoError(p.T, err)
	if p.trusted != nil {
		config.CAData = p.trusted
	}
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

// publish creates the PublishedResource, and waits until the kind is served in the member.
func (p *publishing) publish(adapt ...func(*v1alpha1.PublishedResourceSpec)) *v1alpha1.PublishedResource {
	p.T.Helper()
	resource := p.offer(adapt...)
	p.established(p.consumer, "certificates."+p.offered)
	return resource
}

// spec returns that of the PublishedResource.
func (p *publishing) spec(adapt ...func(*v1alpha1.PublishedResourceSpec)) (spec v1alpha1.PublishedResourceSpec) {
	spec.Service.Resource = v1alpha1.PublishedKind{Group: p.group, Kind: "Certificate"}
	spec.Service.Cluster, spec.Consumers.Clusters.Names = p.serviceName, []string{p.consumerName}
	spec.Projection.Group = p.offered
	for _, change := range adapt {
		change(&spec)
	}
	return spec
}

// offer creates the PublishedResource.
func (p *publishing) offer(adapt ...func(*v1alpha1.PublishedResourceSpec)) *v1alpha1.PublishedResource {
	p.T.Helper()
	resource := &v1alpha1.PublishedResource{ObjectMeta: metav1.ObjectMeta{Name: p.name}, Spec: p.spec(adapt...)}
	require.NoError(p.T, p.remotes.Create(p.T.Context(), resource))
	p.T.Cleanup(func() { p.unpublish(resource) })
	return resource
}

// unpublish deletes the PublishedResource, and waits until it is gone.
func (p *publishing) unpublish(resource *v1alpha1.PublishedResource) {
	p.T.Helper()
	require.NoError(p.T, client.IgnoreNotFound(p.remotes.Delete(context.Background(), resource)))
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		found := &v1alpha1.PublishedResource{}
		err := p.remotes.Get(context.Background(), client.ObjectKeyFromObject(resource), found)
		assert.Error(c, err, "%+v", found.Status)
	}, env.Timeout, env.Interval)
}

// edit changes the spec of the PublishedResource.
func (p *publishing) edit(change func(*v1alpha1.PublishedResourceSpec)) {
	p.T.Helper()
	resource := &v1alpha1.PublishedResource{}
	require.NoError(p.T, p.remotes.Get(p.T.Context(), client.ObjectKey{Name: p.name}, resource))
	before := resource.DeepCopy()
	change(&resource.Spec)
	require.NoError(p.T, p.remotes.Patch(p.T.Context(), resource, client.MergeFrom(before)))
}

// says waits until the condition has the reason, and returns the PublishedResource.
func (p *publishing) says(of, reason string) *v1alpha1.PublishedResource {
	p.T.Helper()
	resource := &v1alpha1.PublishedResource{}
	require.EventuallyWithT(p.T, func(c *assert.CollectT) {
		require.NoError(c, p.remotes.Get(p.T.Context(), client.ObjectKey{Name: p.name}, resource))
		condition := meta.FindStatusCondition(resource.Status.Conditions, of)
		require.NotNil(c, condition)
		assert.Equal(c, reason, condition.Reason, "%v %v", resource.Status.Conditions, resource.Status.Failures)
		assert.Equal(c, resource.Generation, resource.Status.ObservedGeneration)
	}, env.Timeout, env.Interval)
	return resource
}

func (p *publishing) consumerKind() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: p.offered, Version: "v1", Resource: "certificates"}
}

func (p *publishing) serviceKind() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: p.group, Version: "v1", Resource: "certificates"}
}
