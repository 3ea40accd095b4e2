package remotecluster

import (
	"context"
	"slices"
	"sync"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"projection.sh/operator/components/fleet"
)

const (
	// missingTime is how long after a permission was found missing it is asked for again.
	missingTime = time.Minute
	// reviewRetry is how long after a question that was not answered the next one follows.
	reviewRetry = 10 * time.Second
	// maxReviews is how many permissions are asked for. Rules report what they lack of others.
	maxReviews = 100
)

// verdict says whether the credentials have the permissions that rules need.
type verdict int

const (
	// notReviewed: it is not known yet.
	notReviewed verdict = iota
	// allPermitted: they have them.
	allPermitted
	// someMissing: they lack some.
	someMissing
	// notReviewable: the credentials may not ask.
	notReviewable
)

// review is what is known of the permissions.
type review struct {
	verdict verdict
	// missing are verbs of the first resource of which the credentials lack some.
	missing []authorizationv1.ResourceAttributes
}

// asking asks the API server whether the credentials have a permission.
type asking func(ctx context.Context, permission authorizationv1.ResourceAttributes) (bool, error)

// permissions finds out whether the credentials permit what rules need: when a connection is new, when rules or credentials have changed, and again
// and again while something is missing. It is safe for concurrent use.
type permissions struct {
	ask     asking
	gate    *fleet.Gate
	clock   clock.WithTicker
	changed func() // must not block

	mu        sync.Mutex
	needed    []authorizationv1.ResourceAttributes
	permitted map[authorizationv1.ResourceAttributes]struct{} // by the present credentials on the present connection
	since     time.Time                                       // of that connection
	found     review
	news      chan struct{} // has a value when there is more to ask
}

func newPermissions(ask asking, gate *fleet.Gate, clock clock.WithTicker, changed func()) *permissions {
	return &permissions{
		ask: ask, gate: gate, clock: clock, changed: changed, permitted: map[authorizationv1.ResourceAttributes]struct{}{}, news: make(chan struct{}, 1),
	}
}

// known returns what is known.
func (p *permissions) known() review {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.found
}

// need makes these the permissions that rules need.
func (p *permissions) need(needed []authorizationv1.ResourceAttributes) {
	needed = needed[:min(len(needed), maxReviews)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found.verdict != notReviewed && slices.Equal(p.needed, needed) {
		return
	}
	p.needed, p.found = needed, review{}
	if len(p.open()) == 0 {
		p.found.verdict = allPermitted
		return
	}
	p.wake()
}

// renew has everything be asked for again: the credentials have changed.
func (p *permissions) renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.permitted)
	if len(p.needed) > 0 {
		p.wake()
	}
}

func (p *permissions) wake() {
	select {
	case p.news <- struct{}{}:
	default: // it has been told
	}
}

// open returns what the credentials are not known to permit. The lock is held.
func (p *permissions) open() (open []authorizationv1.ResourceAttributes) {
	for _, each := range p.needed {
		if _, permitted := p.permitted[each]; !permitted {
			open = append(open, each)
		}
	}
	return open
}

// run asks until the context ends. While the gate is closed, it waits.
func (p *permissions) run(ctx context.Context) {
	for {
		var again time.Duration
		changed, cause := p.gate.Observe()
		if cause == nil {
			again = p.review(ctx)
		}
		if !p.pause(ctx, changed, again) {
			return
		}
	}
}

// pause waits for news, or for so long; 0: for news alone. It returns false if the context ends first.
func (p *permissions) pause(ctx context.Context, changed <-chan struct{}, again time.Duration) bool {
	var due <-chan time.Time
	if again > 0 {
		ticker := p.clock.NewTicker(again)
		defer ticker.Stop()
		due = ticker.C()
	}
	select {
	case <-p.news:
	case <-changed:
	case <-due:
	case <-ctx.Done():
		return false
	}
	return true
}

// review asks for what is not known to be permitted, and returns when to ask again; 0: when there is news.
func (p *permissions) review(ctx context.Context) time.Duration {
	since, _ := p.gate.State()
	p.mu.Lock()
	if since != p.since {
		clear(p.permitted)
		p.since = since
	}
	needed, open := p.needed, p.open()
	p.mu.Unlock()
	if len(needed) == 0 {
		return 0
	}
	found, err := p.askEach(ctx, open)
	if err != nil {
		return reviewRetry
	}
	p.note(needed, found)
	if found.verdict == allPermitted {
		return 0
	}
	return missingTime
}

// askEach asks until a permission is missing, and then only for others of the same resource.
func (p *permissions) askEach(ctx context.Context, open []authorizationv1.ResourceAttributes) (review, error) {
	found := review{verdict: allPermitted}
	for _, each := range open {
		if len(found.missing) > 0 && !isSameResource(found.missing[0], each) {
			break
		}
		permitted, err := p.ask(ctx, each)
		switch {
		case apierrors.IsForbidden(err):
			return review{verdict: notReviewable}, nil
		case err != nil:
			return review{}, err
		case !permitted:
			found.verdict, found.missing = someMissing, append(found.missing, each)
			continue
		}
		p.mu.Lock()
		p.permitted[each] = struct{}{}
		p.mu.Unlock()
	}
	return found, nil
}

func isSameResource(a, b authorizationv1.ResourceAttributes) bool {
	a.Verb = b.Verb
	return a == b
}

// note notes what was found, unless rules need something else by now.
func (p *permissions) note(needed []authorizationv1.ResourceAttributes, found review) {
	p.mu.Lock()
	isNews := slices.Equal(p.needed, needed) && (p.found.verdict != found.verdict || !slices.Equal(p.found.missing, found.missing))
	if isNews {
		p.found = found
	}
	p.mu.Unlock()
	if isNews {
		p.changed()
	}
}

// review asks the API server whether the credentials have the permission.
func (m *Member) review(ctx context.Context, permission authorizationv1.ResourceAttributes) (bool, error) {
	slot, err := m.slots.Acquire(ctx)
	if err != nil {
		return false, err
	}
	answer, err := m.reviews.Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &permission},
	}, metav1.CreateOptions{})
	slot.Release(apierrors.IsTimeout(err))
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}
