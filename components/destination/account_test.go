package destination_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/test/env"
)

// newWriter returns a writer as the operator makes it.
func (w *fixture) newWriter(c client.Client, config *rest.Config) *destination.Writer {
	w.t.Helper()
	shared, err := rest.HTTPClientFor(config)
	require.NoError(w.t, err)
	named, err := impersonate.NewClient(config, shared)
	require.NoError(w.t, err)
	writes, err := metadata.NewForConfigAndClient(config, named)
	require.NoError(w.t, err)
	objects, err := dynamic.NewForConfigAndClient(config, named)
	require.NoError(w.t, err)
	authorization, err := authorizationclient.NewForConfigAndClient(config, named)
	require.NoError(w.t, err)
	return &destination.Writer{
		Client: c, Metadata: metadata.NewForConfigOrDie(config), Writes: writes, Objects: objects, Access: authorization.SelfSubjectAccessReviews(), Blockers: w.blockers,
	}
}

// senders notes in whose names requests are sent.
type senders struct {
	mu   sync.Mutex
	sent []string
}

func (s *senders) on(config *rest.Config) *rest.Config {
	return env.Intercept(config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		s.mu.Lock()
		if request.Method != http.MethodGet && request.Method != http.MethodPost {
			s.sent = append(s.sent, request.Method+" "+request.Header.Get("Impersonate-User"))
		}
		s.mu.Unlock()
		return next.RoundTrip(request)
	})
}

func (s *senders) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.sent
	s.sent = nil
	return taken
}

// asAccount has the writer write in the name of the account tenant, which has those rights on ConfigMaps. The operator has its own.
func (w *fixture) asAccount(s *senders, operator string, verbs ...string) {
	w.t.Helper()
	config, err := cluster.ConfigFor(operator)
	require.NoError(w.t, err)
	w.use(s.on(config))
	w.set.User = impersonate.UserOf(&v1.ServiceAccountRef{Namespace: w.namespace, Name: "tenant"})
	w.allow(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, "configmaps", verbs...)
	w.allow(operatorSubject(operator), "serviceaccounts", "impersonate")
}

func operatorSubject(name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
}

// allow gives the subject rights in the namespace.
func (w *fixture) allow(subject rbacv1.Subject, resource string, verbs ...string) {
	w.t.Helper()
	w.allowOne(subject, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, Verbs: verbs})
}

func (w *fixture) allowOne(subject rbacv1.Subject, rule rbacv1.PolicyRule) {
	w.t.Helper()
	client := kubernetes.NewForConfigOrDie(cluster.Config)
	role, err := client.RbacV1().Roles(w.namespace).Create(w.t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "role-"}, Rules: []rbacv1.PolicyRule{rule},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
	_, err = client.RbacV1().RoleBindings(w.namespace).Create(w.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "binding-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{subject},
	}, metav1.CreateOptions{})
	require.NoError(w.t, err)
}

// TestCopyIsWrittenInTheNameOfTheAccount covers each kind of write: a create, an update, and patches of managed fields before and after.
func TestCopyIsWrittenInTheNameOfTheAccount(t *testing.T) {
	w, s := newFixture(t, configMaps), &senders{}
	w.asAccount(s, "writing-"+w.namespace, "create", "patch")
	w.allow(operatorSubject("writing-"+w.namespace), "configmaps", "get")
	require.Eventually(t, func() bool { return !w.apply(settings("red")).Failed() }, env.Timeout, env.Interval)
	assert.Equal(t, destination.Updated, w.apply(settings("blue")).Action)
	w.merge(`{"metadata":{"managedFields":[{}]}}`)
	w.restart()
	w.known(1)
	assert.Equal(t, destination.Updated, w.apply(settings("green")).Action)
	sent := s.take()
	assert.GreaterOrEqual(t, len(sent), 4)
	for _, request := range sent {
		assert.Equal(t, "PATCH "+env.ServiceAccountUser(w.namespace, "tenant"), request)
	}
}

// TestCopyIsDeletedInTheNameOfTheAccountIfTheOperatorMayNot tries the operator's own rights first.
func TestCopyIsDeletedInTheNameOfTheAccountIfTheOperatorMayNot(t *testing.T) {
	for name, test := range map[string]struct {
		operator, account []string
		sent              []string
		deleted           bool
	}{
		"by the operator":      {[]string{"get", "delete"}, []string{"create", "patch"}, []string{"-"}, true},
		"by either":            {[]string{"get", "delete"}, []string{"create", "patch", "delete"}, []string{"-"}, true},
		"by the account":       {[]string{"get"}, []string{"create", "patch", "delete"}, []string{"-", "+"}, true},
		"by neither, as usual": {[]string{"get"}, []string{"create", "patch"}, []string{"-", "+"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := newFixture(t, configMaps), &senders{}
			w.asAccount(s, "deleting-"+w.namespace, test.account...)
			w.allow(operatorSubject("deleting-"+w.namespace), "configmaps", test.operator...)
			require.Eventually(t, func() bool { return !w.apply(settings("red")).Failed() }, env.Timeout, env.Interval)
			copied := w.known(1)[0]
			s.take()
			outcome := w.remove(copied)
			var want []string
			for _, by := range test.sent {
				want = append(want, "DELETE "+map[string]string{"+": env.ServiceAccountUser(w.namespace, "tenant")}[by])
			}
			assert.Equal(t, want, s.take())
			if test.deleted {
				assert.Equal(t, destination.Deleted, outcome.Action)
				return
			}
			assert.True(t, apierrors.IsForbidden(outcome.Err), "%v", outcome.Err)
			assert.Contains(t, outcome.Message, `User "deleting-`+w.namespace+`" cannot delete`, "the operator's own right is what is missing")
		})
	}
}

// TestCopySetWithoutAUserWritesNothing is a bug that must not become a write with the permissions of the operator.
func TestCopySetWithoutAUserWritesNothing(t *testing.T) {
	w, s := newFixture(t, configMaps), &senders{}
	w.use(s.on(cluster.Config))
	w.set.User = impersonate.User{}
	outcome := w.apply(settings("red"))
	assert.Contains(t, outcome.Message, "the request names no user")
	assert.Empty(t, slices.Clone(s.take()))
	w.known(0)
}

// TestCopyIsNotReplacedByAnAccountThatMayNotCreate has the owner of an immutable ConfigMap create it again. The account may patch the copy, and
// could not create the next one.
func TestCopyIsNotReplacedByAnAccountThatMayNotCreate(t *testing.T) {
	const first, second = `kind: ConfigMap, immutable: true, data: {color: red}`, `kind: ConfigMap, immutable: true, data: {color: blue}`
	w, s := newFixture(t, configMaps), &senders{}
	require.Equal(t, destination.Created, w.apply(fixed("one", first)).Action)
	before := w.get()
	operator := "replacing-" + w.namespace
	w.asAccount(s, operator, "patch")
	w.allow(operatorSubject(operator), "configmaps", "get", "delete")
	w.known(1)
	require.Eventually(t, func() bool {
		return strings.Contains(w.apply(fixed("two", second)).Message, `cannot create resource "configmaps"`)
	}, env.Timeout, env.Interval)
	assert.Equal(t, before.GetUID(), w.get().GetUID())
	for _, request := range s.take() {
		assert.NotContains(t, request, "DELETE")
	}
	once, again := w.apply(fixed("two", second)), w.apply(fixed("two", second))
	assert.Equal(t, once.Message, again.Message, "no event for each try")

	s.take()
	asked := 0
	w.set.Suspended = func() bool { asked++; return asked > 1 }
	assert.True(t, w.apply(fixed("two", second)).Pending, "the rule is suspended meanwhile")
	assert.Len(t, s.take(), 1, "nothing is tried in its stead")
	w.set.Suspended = nil

	w.allow(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, "configmaps", "create")
	require.Eventually(t, func() bool { return !w.apply(fixed("two", second)).Failed() }, env.Timeout, env.Interval)
	assert.NotEqual(t, before.GetUID(), w.get().GetUID())
}

// TestCopyIsReplacedByAnAccountThatMayWriteItsNameOnly has an account with the least permissions. It may create that copy, and no other one.
func TestCopyIsReplacedByAnAccountThatMayWriteItsNameOnly(t *testing.T) {
	const first, second = `kind: ConfigMap, immutable: true, data: {color: red}`, `kind: ConfigMap, immutable: true, data: {color: blue}`
	w, s := newFixture(t, configMaps), &senders{}
	operator := "naming-" + w.namespace
	w.asAccount(s, operator, "bind")
	w.allow(operatorSubject(operator), "configmaps", "get", "delete")
	rule := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"settings"}, Verbs: []string{"create", "patch"}}
	w.allowOne(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, rule)
	require.Eventually(t, func() bool { return !w.apply(fixed("one", first)).Failed() }, env.Timeout, env.Interval)
	before := w.get()
	w.known(1)
	outcome := w.apply(fixed("two", second))
	require.False(t, outcome.Failed(), outcome.Message)
	assert.NotEqual(t, before.GetUID(), w.get().GetUID())
}
