package fleet_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/faults"
)

// member is the cluster, reached through a relay as a user whose requests are counted.
type member struct {
	*fleet.Conduit

	relay *faults.Relay
	gate  *fleet.Gate
	user  string
	mark  env.AuditMark
}

// newMember returns a member that is reached with the access, whose server is replaced by the relay. A connection that is silent is asked after a while
// whether it lives; 0: after the usual one.
func newMember(t *testing.T, user string, access fleet.Access, pingAfter time.Duration) *member {
	t.Helper()
	m := &member{relay: newRelay(t, access), user: user, gate: fleet.NewGate(clock.RealClock{}, semaphore.NewWeighted(1))}
	var identity *fleet.Identity
	m.Conduit = fleet.NewConduit(fleet.Options{
		Name: "eu-1", Gate: m.gate, Clock: clock.RealClock{}, Timeout: env.Timeout, PingAfter: pingAfter,
		Check: func(ctx context.Context) error { return identity.Sure(ctx, 0) },
	})
	client := metadata.NewForConfigOrDie(m.Config())
	identity = fleet.NewIdentity("", clock.RealClock{}, func(ctx context.Context) (types.UID, error) { return fleet.Ask(ctx, client) })
	require.NoError(t, m.Exchange(t.Context(), m.relayed(access)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.gate.Run(ctx, m.Probe)
	}()
	t.Cleanup(func() {
		cancel()
		m.Close()
		<-ended
	})
	return m
}

// relayed returns the access by way of the relay.
func (m *member) relayed(access fleet.Access) fleet.Access {
	return relayed(access, m.relay)
}

func (m *member) isOpen() bool {
	_, cause := m.gate.State()
	return cause == nil
}

// count begins to count requests.
func (m *member) count(t *testing.T) {
	t.Helper()
	var err error
	m.mark, err = cluster.AuditMark()
	require.NoError(t, err)
}

// requests returns the requests of the user that were counted. A watch that asks for the present objects counts as a list.
func (m *member) requests(t *testing.T) []string {
	t.Helper()
	return requestsOf(t, m.mark, m.user)
}

// requestsOf returns the requests of the user to the cluster since the mark, as requests does, but for those for a lease.
func requestsOf(t *testing.T, mark env.AuditMark, user string) []string {
	t.Helper()
	requests, err := cluster.RequestsSince(mark, user)
	require.NoError(t, err)
	var verbs []string
	for _, request := range requests {
		if request.Resource == "leases" {
			continue
		}
		verb := request.Verb
		if strings.Contains(request.URI, "sendInitialEvents=true") {
			verb = "list"
		}
		verbs = append(verbs, verb+" "+request.Resource)
	}
	return verbs
}

// follow runs a reflector of the ConfigMaps of the namespace, and returns what it sees.
func (m *member) follow(t *testing.T, namespace string) cache.Store {
	t.Helper()
	return followWith(t, m.Config(), namespace)
}

// followWith runs a reflector with a client of the configuration, as follow does.
func followWith(t *testing.T, config *rest.Config, namespace string) cache.Store {
	t.Helper()
	seen := cache.NewStore(cache.MetaNamespaceKeyFunc)
	client := kubernetes.NewForConfigOrDie(config).CoreV1().RESTClient()
	source := cache.NewListWatchFromClient(client, "configmaps", namespace, fields.Everything())
	reflector := cache.NewReflectorWithOptions(source, &corev1.ConfigMap{}, seen, cache.ReflectorOptions{Name: t.Name()})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		reflector.RunWithContext(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return seen
}

// await waits until the ConfigMap was seen.
func (m *member) await(t *testing.T, seen cache.Store, namespace, name string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, cause := m.gate.State()
		assert.NoError(c, cause)
		assert.Contains(c, seen.ListKeys(), namespace+"/"+name)
	}, env.Timeout, env.Interval)
}

// awaitSeen waits until the ConfigMap was seen.
func awaitSeen(t *testing.T, seen cache.Store, namespace, name string) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Contains(c, seen.ListKeys(), namespace+"/"+name) }, env.Timeout, env.Interval)
}

// newRelay returns a relay to the server of the access.
func newRelay(t *testing.T, access fleet.Access) *faults.Relay {
	t.Helper()
	relay, err := faults.NewRelay(access.Server.Host)
	require.NoError(t, err)
	t.Cleanup(relay.Close)
	return relay
}

// relayed returns the access by way of the relay.
func relayed(access fleet.Access, relay *faults.Relay) fleet.Access {
	access.Server = &url.URL{Scheme: "https", Host: relay.Address()}
	return access
}

func admin() kubernetes.Interface { return kubernetes.NewForConfigOrDie(cluster.Config) }

func createConfigMap(t *testing.T, namespace, name string) {
	t.Helper()
	_, err := admin().CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
}

// newAccount creates a namespace, and in it a service account that may read in the whole cluster. It returns the user name of the account.
func newAccount(t *testing.T, namespace string) string {
	t.Helper()
	_, err := admin().CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = admin().CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "hub"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = admin().RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "hub"}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	return env.ServiceAccountUser(namespace, "hub")
}

// tokenAccess returns an access with a token of the account, which is valid until a Secret is deleted.
func tokenAccess(t *testing.T, namespace, secret string) fleet.Access {
	t.Helper()
	bound, err := admin().CoreV1().Secrets(namespace).Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: secret}}, metav1.CreateOptions{})
	require.NoError(t, err)
	issued, err := admin().CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), "hub", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{
			APIVersion: "v1", Kind: "Secret", Name: secret, UID: bound.UID,
		}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	access := accessOf(t, rest.AnonymousClientConfig(cluster.Config))
	access.Token = issued.Status.Token
	return access
}

func accessOf(t *testing.T, config *rest.Config) fleet.Access {
	t.Helper()
	host := config.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	server, err := url.Parse(host)
	require.NoError(t, err)
	return fleet.Access{Server: server, Authorities: config.CAData, Certificate: config.CertData, Key: config.KeyData, Token: config.BearerToken}
}
