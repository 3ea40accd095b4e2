package impersonate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/apierr"
)

// proof is that the header of a request reaches the API server. It is asked for once: the API server says who it takes the sender for.
//
// Example: a proxy between the operator and the API server removes headers that it does not know. Without a proof, all requests would be
// made with the permissions of the operator. A user with a uid is the operator itself, whose own service account a rule may name: the API
// server knows no uid of a user that is impersonated by name.
type proof struct {
	reviews authenticationclient.SelfSubjectReviewInterface
	found   atomic.Bool
	asking  chan struct{} // holds one while somebody asks
}

func newProof(config *rest.Config, http *http.Client) (*proof, error) {
	client, err := authenticationclient.NewForConfigAndClient(config, http)
	if err != nil {
		return nil, fmt.Errorf("set up reviews of the sender: %w", err)
	}
	return &proof{reviews: client.SelfSubjectReviews(), asking: make(chan struct{}, 1)}, nil
}

// ask returns nothing if the header of the user reaches the API server. It returns the answer of the API server if that refuses to say,
// as it does if the operator may not impersonate the user.
func (p *proof) ask(request *http.Request, user User, name string) (refused *http.Response, err error) {
	if p.found.Load() {
		return nil, nil //nolint:nilnil // there is nothing to say
	}
	ctx := request.Context()
	select {
	case p.asking <- struct{}{}:
		defer func() { <-p.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if p.found.Load() {
		return nil, nil //nolint:nilnil // likewise
	}
	review, err := p.reviews.Create(As(ctx, user), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	switch {
	case user.Lacks(err): // the API server has read the header, and this user may not ask; another one may
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
