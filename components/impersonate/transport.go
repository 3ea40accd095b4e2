package impersonate

import (
	"net/http"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/apierr"
)

// NewClient returns a client on the connections of the other one. It sends each request in the name of the user that the context of the
// request names.
func NewClient(config *rest.Config, http *http.Client) (*http.Client, error) {
	next := http.Transport
	if next == nil {
		next = defaultTransport()
	}
	reviews := *http
	reviews.Transport = transport{next: next}
	proof, err := newProof(config, &reviews)
	if err != nil {
		return nil, err
	}
	client := *http
	client.Transport = transport{next: next, proof: proof}
	return &client, nil
}

func defaultTransport() http.RoundTripper { return http.DefaultTransport }

// transport sends requests in the names of users.
type transport struct {
	next http.RoundTripper
	// proof is asked for before the first request in the name of a service account. Nil: none is needed.
	proof *proof
}

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	user := userIn(request.Context())
	if user.operator {
		return t.next.RoundTrip(request)
	}
	named, refused, err := t.inTheNameOf(user, request)
	if named == nil && request.Body != nil {
		_ = request.Body.Close() // as a transport has to
	}
	switch {
	case err != nil:
		return nil, err
	case refused != nil:
		return refused, nil
	default:
		return t.next.RoundTrip(named)
	}
}

// inTheNameOf returns the request with the header, or why it is not sent: an answer of the API server, or an error.
func (t transport) inTheNameOf(user User, request *http.Request) (named *http.Request, refused *http.Response, err error) {
	if !user.isImpersonated() {
		return nil, nil, &apierr.UnsentError{
			Message: "the request names no user, and is not made with the permissions of the operator", Advice: "please report this bug",
		}
	}
	name, err := user.userName()
	if err != nil {
		return nil, nil, err
	}
	if t.proof != nil {
		if refused, err := t.proof.ask(request, user, name); err != nil || refused != nil {
			return nil, refused, err
		}
	}
	named = utilnet.CloneRequest(request)
	for header := range named.Header {
		if strings.HasPrefix(header, "Impersonate-") {
			named.Header.Del(header)
		}
	}
	named.Header.Set(authenticationv1.ImpersonateUserHeader, name)
	return named, nil, nil
}
