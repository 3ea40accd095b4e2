package remotecluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

// canary is a token that the other side sends back in whatever it says.
const canary = "canary-token"

func answer(code int32) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Reason: metav1.StatusReason(http.StatusText(int(code))), Message: canary}}
}

func dial(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func TestExplanations(t *testing.T) {
	tests := map[string]struct {
		err             error
		reason, message string
	}{
		"another cluster": {
			&fleet.IdentityError{Pinned: "a", Found: "b"}, v1alpha1.ReasonIdentityChanged,
			"another cluster answers: the uid of its namespace kube-system is b, and not a",
		},
		"without the namespace": {
			&fleet.IdentityError{Pinned: "a"}, v1alpha1.ReasonIdentityUnknown, "the cluster has no namespace kube-system, whose uid was a",
		},
		"never with the namespace": {
			&fleet.IdentityError{}, v1alpha1.ReasonIdentityUnknown, "the cluster has no namespace kube-system, whose uid would show which one it is",
		},
		"unauthorized": {answer(http.StatusUnauthorized), v1alpha1.ReasonUnauthorized, "the cluster does not accept the credentials"},
		"forbidden": {
			answer(http.StatusForbidden), v1alpha1.ReasonIdentityUnknown,
			"the credentials may not read the namespace kube-system, whose uid shows which cluster it is",
		},
		"no API server": {
			answer(http.StatusNotFound), v1alpha1.ReasonUnreachable, "the answer to the question for the namespace kube-system is 404",
		},
		"broken": {
			answer(http.StatusBadGateway), v1alpha1.ReasonUnreachable, "the answer to the question for the namespace kube-system is 502",
		},
		"no name":      {dial(&net.DNSError{Name: canary, IsTimeout: true}), v1alpha1.ReasonUnreachable, "the name of the server is not resolved"},
		"late":         {context.DeadlineExceeded, v1alpha1.ReasonUnreachable, "the server does not answer in time"},
		"late to dial": {dial(os.ErrDeadlineExceeded), v1alpha1.ReasonUnreachable, "the server does not answer in time"},
		"refused":      {dial(syscall.ECONNREFUSED), v1alpha1.ReasonUnreachable, "the server refuses connections"},
		"authority": {
			&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, v1alpha1.ReasonUnreachable,
			"the certificate of the server is not signed by an authority of the kubeconfig",
		},
		"host": {
			x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{canary}}, Host: canary}, v1alpha1.ReasonUnreachable,
			"the certificate of the server is for another name",
		},
		"expired": {
			x509.CertificateInvalidError{Reason: x509.Expired, Detail: canary}, v1alpha1.ReasonUnreachable, "the certificate of the server is not valid",
		},
		"alert":  {dial(tls.AlertError(42)), v1alpha1.ReasonUnreachable, "the server refuses the TLS connection"},
		"others": {errors.New(canary), v1alpha1.ReasonUnreachable, "the connection fails"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			why := explain(fmt.Errorf("probe: %w", test.err))
			assert.Equal(t, test.reason, why.reason)
			assert.Equal(t, test.message, why.message)
			assert.NotEmpty(t, why.advice)
			assert.NotContains(t, why.message+why.advice, canary, "the other side has chosen it")
		})
	}
}
