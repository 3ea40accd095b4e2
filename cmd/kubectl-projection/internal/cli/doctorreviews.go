package cli

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

var subjectAccessReviews = accessReviews.GroupVersion().WithResource("subjectaccessreviews")

const (
	// reviewedAtOnce is how many reviews are asked for at a time.
	reviewedAtOnce = 10
	// reviewedFor is how long an answer is believed. Pages ask again whenever something changes, and permissions change seldom.
	reviewedFor = time.Minute
)

// review is the question whether a service account may use a verb on a resource in all namespaces.
type review struct {
	account, verb string
	resource      schema.GroupResource
}

// reviews asks what service accounts may do, and keeps the answers for a while. It is safe for concurrent use.
type reviews struct {
	now func() time.Time

	mu      sync.Mutex
	since   time.Time // of the oldest answer
	answers map[review]bool
}

// lacking is what a service account may not do of what is needed.
type lacking struct {
	account string
	of      *need
	verbs   []string
}

// missing returns what each of the service accounts may not do, sorted by account and resource.
func (r *reviews) missing(ctx context.Context, cluster *access.Cluster, namespace string, accounts []string, wanted needs) ([]lacking, error) {
	r.forget()
	requests, ctx := errgroup.WithContext(ctx)
	requests.SetLimit(reviewedAtOnce)
	var found []lacking
	for _, account := range accounts {
		for _, needed := range wanted.of {
			requests.Go(func() error {
				refused := lacking{account: account, of: needed}
				for _, verb := range sets.List(needed.verbs) {
					allowed, err := r.ask(ctx, cluster, namespace, review{account, verb, needed.resource})
					if err != nil {
						return err
					}
					if !allowed {
						refused.verbs = append(refused.verbs, verb)
					}
				}
				r.mu.Lock()
				defer r.mu.Unlock()
				if len(refused.verbs) > 0 {
					found = append(found, refused)
				}
				return nil
			})
		}
	}
	err := requests.Wait()
	slices.SortFunc(found, func(a, b lacking) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.of.resource.String(), b.of.resource.String()))
	})
	return found, err
}

// forget drops answers that are too old.
func (r *reviews) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); r.answers == nil || now.Sub(r.since) >= reviewedFor {
		r.since, r.answers = now, map[review]bool{}
	}
}

// ask returns whether the service account in the namespace may do that.
func (r *reviews) ask(ctx context.Context, cluster *access.Cluster, namespace string, asked review) (bool, error) {
	r.mu.Lock()
	allowed, known := r.answers[asked]
	r.mu.Unlock()
	if known {
		return allowed, nil
	}
	allowed, err := isAllowed(ctx, cluster, subjectAccessReviews, "SubjectAccessReview", map[string]any{
		"user":               "system:serviceaccount:" + namespace + ":" + asked.account,
		"groups":             []any{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		"resourceAttributes": map[string]any{"verb": asked.verb, "group": asked.resource.Group, "resource": asked.resource.Resource},
	})
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[asked] = allowed
	return allowed, nil
}
