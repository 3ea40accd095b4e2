package impersonate_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/test/env"
)

func account(namespace, name string) impersonate.User {
	return impersonate.UserOf(&v1.ServiceAccountRef{Namespace: namespace, Name: name})
}

// newClient returns a client as the operator makes it.
func newClient(t testing.TB, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	shared, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	named, err := impersonate.NewClient(config, shared)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfigAndClient(config, named)
	require.NoError(t, err)
	return client
}

// whoAmI returns whom the API server takes the sender for.
func whoAmI(ctx context.Context, client kubernetes.Interface) (authenticationv1.UserInfo, error) {
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return authenticationv1.UserInfo{}, err
	}
	return review.Status.UserInfo, nil
}

func TestRequestIsInTheNameOfTheUserInItsContext(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("operator", "system:masters")
	require.NoError(t, err)
	client := newClient(t, config)

	own, err := whoAmI(impersonate.As(t.Context(), impersonate.Operator()), client)
	require.NoError(t, err)
	assert.Equal(t, "operator", own.Username)

	named, err := whoAmI(impersonate.As(t.Context(), account("production", "promoter")), client)
	require.NoError(t, err)
	assert.Equal(t, env.ServiceAccountUser("production", "promoter"), named.Username)
	assert.ElementsMatch(t, []string{"system:serviceaccounts", "system:serviceaccounts:production", "system:authenticated"}, named.Groups)
	assert.Empty(t, named.Extra)
}

func TestRequestWithoutAUserIsNotSent(t *testing.T) {
	t.Parallel()
	for name, user := range map[string]impersonate.User{
		"nobody":                      {},
		"an account without a name":   impersonate.UserOf(&v1.ServiceAccountRef{}),
		"without the namespace":       account("", "promoter"),
		"half a name":                 account("production", ""),
		"a name of another namespace": account("production", "kube-system:admin"),
		"a header in the name":        account("production", "x\r\nImpersonate-Group: system:masters"),
		"a wildcard":                  account("*", "promoter"),
		"a path":                      account("production", "../kube-system"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := rest.CopyConfig(cluster.Config)
			var sent atomic.Int32
			config.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(request *http.Request) (*http.Response, error) {
					sent.Add(1)
					return next.RoundTrip(request)
				})
			})
			ctx := t.Context()
			if name != "nobody" {
				ctx = impersonate.As(ctx, user)
			}
			_, err := whoAmI(ctx, newClient(t, config))
			var unsent *apierr.UnsentError
			require.ErrorAs(t, err, &unsent)
			assert.Zero(t, sent.Load())
		})
	}
}

// TestHeaderThatAProxyRemovesStopsAllAccounts has a proxy in front of the API server that does not know the header.
func TestHeaderThatAProxyRemovesStopsAllAccounts(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("operator", "system:masters")
	require.NoError(t, err)
	var removes atomic.Bool
	removes.Store(true)
	var others atomic.Int32
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(request *http.Request) (*http.Response, error) {
			if removes.Load() {
				request.Header.Del(authenticationv1.ImpersonateUserHeader)
			}
			if request.Method == http.MethodGet {
				others.Add(1)
			}
			return next.RoundTrip(request)
		})
	})
	client, named := newClient(t, config), impersonate.As(t.Context(), account("production", "promoter"))

	for range 2 {
		_, err = client.CoreV1().Secrets("kube-system").Get(named, "any", metav1.GetOptions{})
		var unsent *apierr.UnsentError
		require.ErrorAs(t, err, &unsent)
		assert.Contains(t, unsent.Message, "the API server takes a request in the name of system:serviceaccount:production:promoter for one of operator")
	}
	assert.Zero(t, others.Load(), "the request itself is not sent")

	removes.Store(false)
	_, err = client.CoreV1().Secrets("kube-system").Get(named, "any", metav1.GetOptions{})
	assert.True(t, apierrors.IsForbidden(err), err)
	assert.Equal(t, int32(1), others.Load())
}

func TestOperatorThatMayNotImpersonateIsToldSo(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("not-allowed")
	require.NoError(t, err)
	client, named := newClient(t, config), impersonate.As(t.Context(), account("production", "promoter"))
	_, err = client.CoreV1().ConfigMaps("default").Get(named, "any", metav1.GetOptions{})
	require.True(t, apierrors.IsForbidden(err), err)
	assert.True(t, apierr.IsImpersonationForbidden(err), err)
}

// TestProofIsAskedForOnce counts requests: the first one in the name of an account costs one more.
func TestProofIsAskedForOnce(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("proving", "system:masters")
	require.NoError(t, err)
	mark, err := cluster.AuditMark()
	require.NoError(t, err)
	client := newClient(t, config)
	for i := range 3 {
		named := impersonate.As(t.Context(), account("production", fmt.Sprint("account-", i)))
		_, err := client.CoreV1().ConfigMaps("default").Get(named, "any", metav1.GetOptions{})
		require.True(t, apierrors.IsForbidden(err), err)
		assert.False(t, apierr.IsImpersonationForbidden(err), err)
	}
	requests, err := cluster.RequestsSince(mark, "proving")
	require.NoError(t, err)
	var resources []string
	for _, request := range requests {
		resources = append(resources, request.Resource+" as "+request.As)
	}
	assert.Equal(t, []string{
		"selfsubjectreviews as system:serviceaccount:production:account-0",
		"configmaps as system:serviceaccount:production:account-0",
		"configmaps as system:serviceaccount:production:account-1",
		"configmaps as system:serviceaccount:production:account-2",
	}, resources)
}

// TestUsersOnOneConnectionDoNotMix sends 10,000 requests of nine accounts and of the operator, ten at a time. They are streams of the same
// HTTP/2 connection.
func TestUsersOnOneConnectionDoNotMix(t *testing.T) {
	t.Parallel()
	config, err := cluster.ConfigFor("sharing", "system:masters")
	require.NoError(t, err)
	client := newClient(t, config)
	const users, each = 10, 1000
	var senders sync.WaitGroup
	for i := range users {
		namespace := "tenant-" + strconv.Itoa(i)
		user, want := account(namespace, "promoter"), env.ServiceAccountUser(namespace, "promoter")
		if i == 0 {
			user, want = impersonate.Operator(), "sharing"
		}
		senders.Go(func() {
			ctx := impersonate.As(t.Context(), user)
			for range each {
				if taken, err := whoAmI(ctx, client); err != nil || taken.Username != want {
					assert.Failf(t, "another user", "%s was taken for %s: %v", want, taken.Username, err)
					return
				}
			}
		})
	}
	senders.Wait()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
