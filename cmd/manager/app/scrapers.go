package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/token/cache"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const (
	// knownTokenTTL and unknownTokenTTL are how long an answer of the API server about a token counts.
	knownTokenTTL, unknownTokenTTL = time.Minute, 10 * time.Second
	// allowTTL and denyTTL are how long an answer about the permissions of a client counts.
	allowTTL, denyTTL = 5 * time.Minute, 30 * time.Second
	// reviewTimeout is how long one such question may take.
	reviewTimeout = 10 * time.Second
)

// reviewBackoff is how often, and with which delays, a question is asked again that could not be answered.
var reviewBackoff = wait.Backoff{Duration: 500 * time.Millisecond, Factor: 1.5, Jitter: 0.2, Steps: 5}

// scrapers answers requests for metrics. It asks the API server whom the bearer token belongs to, and whether that client may make the
// request. The status is 401 if nobody is known by the token, 403 if the client may not, and 500 if the API server could not be asked.
//
// The filter of controller-runtime answers 500 to a token that nobody is known by, so that a forged token looks like a failure of the
// operator.
type scrapers struct {
	tokens      authenticator.Token
	permissions authorizer.Authorizer
}

// newMetricsFilter is the FilterProvider of the metrics server.
func newMetricsFilter(config *rest.Config, client *http.Client) (metricsserver.Filter, error) {
	authentication, err := authenticationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	authorization, err := authorizationclient.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	delegated := authorizerfactory.DelegatingAuthorizerConfig{
		SubjectAccessReviewClient: authorization, AllowCacheTTL: allowTTL, DenyCacheTTL: denyTTL, WebhookRetryBackoff: &reviewBackoff,
	}
	permissions, err := delegated.New()
	if err != nil {
		return nil, fmt.Errorf("authorize clients of the metrics: %w", err)
	}
	tokens := cache.New(tokenReviews{authentication.TokenReviews()}, false, knownTokenTTL, unknownTokenTTL)
	return scrapers{tokens, permissions}.filter, nil
}

// filter returns a handler that answers only the clients which may make the request.
func (s scrapers) filter(log logr.Logger, next http.Handler) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		status, err := s.check(request)
		if err != nil {
			log.Error(err, "A request for the metrics could not be checked")
		}
		if status != http.StatusOK {
			http.Error(w, http.StatusText(status), status)
			return
		}
		next.ServeHTTP(w, request)
	}), nil
}

// check returns the status that answers the request; 200 if it is allowed.
func (s scrapers) check(request *http.Request) (status int, err error) {
	token := bearerToken(request)
	if token == "" {
		return http.StatusUnauthorized, nil
	}
	known, found, err := s.tokens.AuthenticateToken(request.Context(), token)
	switch {
	case err != nil:
		return http.StatusInternalServerError, fmt.Errorf("ask the API server about a token: %w", err)
	case !found:
		return http.StatusUnauthorized, nil
	}
	decision, _, err := s.permissions.Authorize(request.Context(), authorizer.AttributesRecord{
		User: known.User, Verb: strings.ToLower(request.Method), Path: request.URL.Path,
	})
	switch {
	case err != nil:
		return http.StatusInternalServerError, fmt.Errorf("ask the API server what %s may do: %w", known.User.GetName(), err)
	case decision != authorizer.DecisionAllow:
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}

// bearerToken returns the token of the request; empty if it has none.
func bearerToken(request *http.Request) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(request.Header.Get("Authorization")), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// tokenReviews asks the API server whom a token belongs to.
type tokenReviews struct {
	client authenticationclient.TokenReviewInterface
}

// AuthenticateToken implements authenticator.Token. An error says that the API server could not be asked.
func (r tokenReviews) AuthenticateToken(ctx context.Context, token string) (*authenticator.Response, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	review, err := r.client.Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
	if err != nil || !review.Status.Authenticated {
		return nil, false, err
	}
	known := review.Status.User
	extra := make(map[string][]string, len(known.Extra))
	for key, values := range known.Extra {
		extra[key] = values
	}
	return &authenticator.Response{
		User: &user.DefaultInfo{Name: known.Username, UID: known.UID, Groups: known.Groups, Extra: extra},
	}, true, nil
}
