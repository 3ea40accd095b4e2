package remotecluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

// explanation says why a cluster is not reached. It quotes nothing that the other side has chosen: that may be the credentials which it was sent.
type explanation struct{ reason, message, advice string }

// explain explains the error of a probe.
func explain(err error) explanation {
	if changed, ok := errors.AsType[*fleet.IdentityError](err); ok {
		return explainIdentity(changed)
	}
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		return explainAnswer(answer.Status().Code)
	}
	return explainConnection(err)
}

func explainIdentity(err *fleet.IdentityError) explanation {
	switch {
	case err.Found != "":
		return explanation{
			v1alpha1.ReasonIdentityChanged,
			fmt.Sprintf("another cluster answers: the uid of its namespace kube-system is %s, and not %s", err.Found, err.Pinned),
			fmt.Sprintf("correct the kubeconfig, or set spec.identity to %s", err.Found),
		}
	case err.Pinned != "":
		return explanation{
			v1alpha1.ReasonIdentityUnknown, fmt.Sprintf("the cluster has no namespace kube-system, whose uid was %s", err.Pinned),
			"correct the kubeconfig, or set spec.identity to a text of your choice",
		}
	default:
		return explanation{
			v1alpha1.ReasonIdentityUnknown, "the cluster has no namespace kube-system, whose uid would show which one it is",
			"set spec.identity to a text of your choice",
		}
	}
}

// explainAnswer explains an answer to the question for the namespace kube-system.
func explainAnswer(code int32) explanation {
	switch code {
	case http.StatusUnauthorized:
		return explanation{v1alpha1.ReasonUnauthorized, "the cluster does not accept the credentials", "put other ones into the kubeconfig"}
	case http.StatusForbidden:
		return explanation{
			v1alpha1.ReasonIdentityUnknown, "the credentials may not read the namespace kube-system, whose uid shows which cluster it is",
			"permit them there to get that namespace",
		}
	default:
		return explanation{
			v1alpha1.ReasonUnreachable, fmt.Sprintf("the answer to the question for the namespace kube-system is %d", code),
			"check that the server of the kubeconfig is an API server, and that it works",
		}
	}
}

func explainConnection(err error) explanation {
	const (
		network     = "check the server of the kubeconfig, and the network between the clusters"
		authorities = "correct the server or certificate-authority-data of the kubeconfig"
	)
	message, advice := "the connection fails", network
	var (
		timeout   net.Error
		name      *net.DNSError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		alert     tls.AlertError
	)
	switch {
	case errors.As(err, &name):
		message = "the name of the server is not resolved"
	case errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout():
		message = "the server does not answer in time"
	case errors.Is(err, syscall.ECONNREFUSED):
		message = "the server refuses connections"
	case errors.As(err, &authority):
		message, advice = "the certificate of the server is not signed by an authority of the kubeconfig", authorities
	case errors.As(err, &host):
		message, advice = "the certificate of the server is for another name", authorities
	case errors.As(err, &invalid):
		message, advice = "the certificate of the server is not valid", "renew it, and compare the clocks"
	case errors.As(err, &alert):
		message, advice = "the server refuses the TLS connection", "renew the client certificate of the kubeconfig"
	}
	return explanation{v1alpha1.ReasonUnreachable, message, advice}
}
