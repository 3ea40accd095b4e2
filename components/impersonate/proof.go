package impersonate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/apierr"
)

const (
	// reviewTimeout is how long a review may take.
	reviewTimeout = 10 * time.Second
	// maxNamed bounds how many users are remembered that may not ask.
	maxNamed = 10_000
)

// proof is that the header of a request reaches the API server. It is asked for once: the API server says who it takes the sender for. Several
// users may ask at a time, and none waits for another.
//
// Example: a proxy between the operator and the API server removes headers that it does not know. Without a proof, all requests would be
// made with the permissions of the operator. A user with a uid is the operator itself, whose own service account a rule may name: the API
// server knows no uid of a user that is impersonated by name.
type proof struct {
	reviews  authenticationclient.SelfSubjectReviewInterface
	found    atomic.Bool
	requests singleflight.Group

	mu sync.Mutex
	// named are users who may not ask: the API server has called them by their names. That proves nothing of others: the operator's own
	// service account may be among them.
	named map[User]struct{}
}

func newProof(config *rest.Config, http *http.Client) (*proof, error) {
	client, err := authenticationclient.NewForConfigAndClient(config, http)
	if err != nil {
		return nil, fmt.Errorf("set up reviews of the sender: %w", err)
	}
	return &proof{reviews: client.SelfSubjectReviews(), named: map[User]struct{}{}}, nil
}

// ask returns nothing if the header of the user reaches the API server. It returns the answer of the API server if that refuses to say,
// as it does if the operator may not impersonate the user.
func (p *proof) ask(request *http.Request, user User, name string) (refused *http.Response, err error) {
	if p.found.Load() || p.isNamed(user) {
		return nil, nil //nolint:nilnil // there is nothing to say
	}
	review, err := p.review(request.Context(), user, name)
	switch {
	case user.Lacks(err):
		p.name(user)
		return nil, nil //nolint:nilnil // likewise
	case err != nil:
		return answer(err, request)
	}
	taken := review.Status.UserInfo
	if taken.Username != name || taken.UID != "" {
		return nil, &apierr.UnsentError{
			Message: fmt.Sprintf("the API server takes a request in the name of %s for one of %s", name, taken.Username),
			Advice:  "find out which proxy in front of the API server removes the header " + authenticationv1.ImpersonateUserHeader,
		}
	}
	p.found.Store(true)
	return nil, nil //nolint:nilnil // likewise
}

// review asks whom the API server takes the user for. Requests of one user share the review.
func (p *proof) review(ctx context.Context, user User, name string) (*authenticationv1.SelfSubjectReview, error) {
	answered := p.requests.DoChan(name, func() (any, error) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTimeout)
		defer cancel()
		return p.reviews.Create(As(limited, user), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	})
	select {
	case said := <-answered:
		review, _ := said.Val.(*authenticationv1.SelfSubjectReview)
		return review, said.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *proof) isNamed(user User) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, named := p.named[user]
	return named
}

func (p *proof) name(user User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.named) >= maxNamed {
		clear(p.named)
	}
	p.named[user] = struct{}{}
}

// answer returns the error of a review as the answer to the request for which it was made; an error that is no answer stays one.
func answer(err error, request *http.Request) (*http.Response, error) {
	var said apierrors.APIStatus
	if !errors.As(err, &said) {
		return nil, err
	}
	status := said.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: int(status.Code), Status: http.StatusText(int(status.Code)), Request: request, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}
