package remotecluster

import (
	"context"
	"crypto/x509"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/test/docs/markdown"
	"projection.sh/operator/test/env"
)

// failingReader answers each read with the error.
type failingReader struct {
	client.Reader
	err error
}

func (r failingReader) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return r.err
}

// unread returns what is wrong with a declaration whose Secret cannot be read.
func unread(t *testing.T, err error) *problem {
	t.Helper()
	remote := &v1alpha1.RemoteCluster{}
	remote.Name, remote.Spec.Access.Kubeconfig = "eu-1", &v1alpha1.KubeconfigAccess{Secret: "eu-1"}
	watches := newSecretWatches(nil, "projection-system", func(string) {})
	watches.closed = true // nothing is watched
	d := &declarations{secrets: failingReader{err: err}, watches: watches, namespace: "projection-system", known: map[string]declaration{}}
	declared, _ := d.read(t.Context(), remote, false)
	require.NotNil(t, declared.problem)
	return declared.problem
}

// wrong returns what is wrong with a Secret that has the kubeconfig under a key.
func wrong(t *testing.T, key, kubeconfig string) *problem {
	t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "projection-system", Name: "eu-1"}, Data: map[string][]byte{key: []byte(kubeconfig)}}
	_, found := parse(secret, v1alpha1.KubeconfigAccess{Secret: "eu-1"})
	require.NotNil(t, found)
	return found
}

// at returns a cluster for which the function says what is known.
func at(change func(*found)) *found {
	known := connection(60, nil)
	known.host = "eu-1.example.com:6443"
	change(known)
	return known
}

// situations are those that docs/troubleshooting.md quotes messages of.
func situations(t *testing.T) []facts {
	t.Helper()
	const server = "server: https://eu-1.example.com:6443"
	resource := corev1.Resource("secrets")
	all := []facts{
		{found: at(func(*found) {})},
		{found: at(func(f *found) { f.failure = answer(http.StatusUnauthorized) })},
		{found: at(func(f *found) { f.cause, f.identity = notProbed(), "" })},
		{duplicate: "eu-1", found: at(func(*found) {})},
		{found: at(func(f *found) { f.suitable = fleet.Unsuitable })},
		{declared: unread(t, apierrors.NewNotFound(resource, "eu-1"))},
		{declared: unread(t, apierrors.NewNotFound(resource, "eu-1")), found: at(func(*found) {})},
		{declared: unread(t, apierrors.NewForbidden(resource, "eu-1", nil))},
		{declared: wrong(t, "config", "")},
		{declared: wrong(t, "kubeconfig", kubeconfigWith(server, ""))},
		{declared: wrong(t, "kubeconfig", kubeconfigWith(server, "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: aws}"))},
	}
	for _, cause := range []error{
		syscall.ECONNREFUSED, context.DeadlineExceeded, x509.UnknownAuthorityError{}, answer(http.StatusUnauthorized), answer(http.StatusForbidden),
		&fleet.IdentityError{}, &fleet.IdentityError{Pinned: "6f0c2f1c", Found: "0b7d5a3e"},
	} {
		all = append(all, facts{found: at(func(f *found) { f.cause = cause })})
	}
	for _, fence := range []fleet.Fence{{Kind: fleet.HeldByAnother, Holder: "projection-7d9f_1"}, {Kind: fleet.LeaseNotPermitted}, {Kind: fleet.HomeMissing}} {
		all = append(all, facts{found: at(func(f *found) { f.fence = fence })})
	}
	secrets := authorizationv1.ResourceAttributes{Resource: "secrets"}
	list, watch := secrets, secrets
	list.Verb, watch.Verb = "list", "watch"
	for _, known := range []review{{}, {verdict: notReviewable}, {verdict: someMissing, missing: []authorizationv1.ResourceAttributes{list, watch}}} {
		all = append(all, facts{found: at(func(f *found) { f.review = known })})
	}
	return all
}

// TestDocumentedMessagesAreThoseOfTheOperator compares what docs/troubleshooting.md quotes of RemoteClusters with what they say.
func TestDocumentedMessagesAreThoseOfTheOperator(t *testing.T) {
	says, reported := map[string]bool{}, map[string]bool{}
	for i, each := range append(situations(t), facts{found: at(func(*found) {})}) {
		each.now = now
		remote := &v1alpha1.RemoteCluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-2"}}
		remote.Spec.Paused = i == len(situations(t))
		status, _ := each.status(remote)
		for _, condition := range status.Conditions {
			says[condition.Reason+": "+condition.Message], reported[condition.Reason] = true, true
		}
	}
	page, err := markdown.Read(filepath.Join(env.Root(), "docs", "troubleshooting.md"))
	require.NoError(t, err)
	quoted := map[string]bool{}
	for _, row := range page.Rows {
		if message, isQuoted := strings.CutPrefix(row.Cells[0], "`"); isQuoted && reported[row.Heading] {
			quoted[row.Heading+": "+strings.TrimSuffix(message, "`")] = true
		}
	}
	assert.Equal(t, says, quoted)
}
