package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// ruleWatch follows a rule and its copies.
type ruleWatch struct {
	noted

	i inquiry

	// rule is as it was last seen; isDeleted reports whether it exists no more.
	rule      access.Rule
	isDeleted bool
	// isRead reports whether the rule has to be read for each look, since it cannot be followed.
	isRead bool
	// copies are those of the rule, once isListed. Hidden says why they are not known.
	copies   map[types.NamespacedName]forecast.Copied
	isListed bool
	hidden   string

	// The rest is that of the looks.
	forecaster *forecast.Forecaster
	asked      asked
	goal       forecast.Goal
	pace       pace
	last       progress
}

// Intervals of looks at the copies.
const (
	shortestLook = time.Second     // if something has changed
	longestLook  = 5 * time.Second // since sources are not followed
)

func (i inquiry) newRuleWatch(rule access.Rule) *ruleWatch {
	return &ruleWatch{noted: newNoted(), i: i, rule: rule, copies: map[types.NamespacedName]forecast.Copied{}, last: progress{Rule: ruleNameOf(rule)}}
}

// noted is what followers write and one reader reads, which waits for changes.
type noted struct {
	mu sync.Mutex
	// changed has something if something has changed since it was last read.
	changed chan struct{}
}

func newNoted() noted { return noted{changed: make(chan struct{}, 1)} }

// update changes what is known.
func (n *noted) update(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
	leaveNote(n.changed)
}

// leaveNote has a channel with room for one note hold it.
func leaveNote(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default:
	}
}

// each calls the function with the progress whenever it may have changed, until the function returns false or the context ends.
func (w *ruleWatch) each(ctx context.Context, now func() time.Time, do func(progress) (bool, error)) error {
	ctx, stop := context.WithCancel(ctx)
	followers := sync.WaitGroup{}
	defer followers.Wait()
	defer stop()
	rule := w.rule
	followers.Go(func() { w.followRule(ctx, rule) })
	followers.Go(func() { w.followCopies(ctx, rule) })
	for {
		if err := w.awaitList(ctx); err != nil {
			return err
		}
		seen, err := w.look(ctx, now())
		switch {
		case err == nil:
			w.last = seen
		case ctx.Err() == nil && access.MayPass(err):
			seen = w.last.unanswered(err)
		default:
			return err
		}
		if goesOn, err := do(seen); err != nil || !goesOn {
			return err
		}
		pause(ctx, nil, shortestLook)
		pause(ctx, w.changed, longestLook-shortestLook)
	}
}

// awaitList returns when the copies have been listed, or cannot be.
func (w *ruleWatch) awaitList(ctx context.Context) error {
	for {
		w.mu.Lock()
		known := w.isListed || w.hidden != ""
		w.mu.Unlock()
		if known || ctx.Err() != nil {
			return ctx.Err()
		}
		pause(ctx, w.changed, longestLook)
	}
}

// pause returns when the time has passed, the channel has something, or the context has ended.
func pause(ctx context.Context, changed <-chan struct{}, longest time.Duration) {
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-timer.C:
	}
}

func (w *ruleWatch) followRule(ctx context.Context, was access.Rule) {
	list := access.List{Namespace: was.Namespace, Fields: fields.OneTermEqualSelector(metav1.ObjectNameField, was.Name).String()}
	err := w.i.cluster.FollowRules(ctx, was.Kind, list, access.Observer[access.Rule]{
		Set:     func(rule access.Rule) { w.update(func() { w.isDeleted, w.rule = rule.UID != was.UID, rule }) }, // it may have been created again
		Removed: func(access.Rule) { w.update(func() { w.isDeleted = true }) },
		Listed:  func() {},
	})
	if err != nil {
		w.update(func() { w.isRead = true })
	}
}

func (w *ruleWatch) followCopies(ctx context.Context, rule access.Rule) {
	forecaster := w.i.forecaster(ctx, rule.Namespace)
	resource, err := forecaster.Copies(ctx, rule)
	for access.MayPass(err) && ctx.Err() == nil {
		pause(ctx, nil, longestLook)
		resource, err = forecaster.Copies(ctx, rule)
	}
	if err == nil {
		list := access.List{Resource: resource, Namespace: rule.Namespace, Labels: rule.Kind.Label + "=" + string(rule.UID)}
		err = w.i.cluster.FollowMetadata(ctx, list, access.Observer[*metav1.PartialObjectMetadata]{
			Set: func(object *metav1.PartialObjectMetadata) {
				at, copied, isCopy := forecast.CopiedOf(rule, object)
				w.update(func() {
					if delete(w.copies, at); isCopy {
						w.copies[at] = copied
					}
				})
			},
			Removed: func(object *metav1.PartialObjectMetadata) {
				at, _, _ := forecast.CopiedOf(rule, object)
				w.update(func() { delete(w.copies, at) })
			},
			Listed: func() { w.update(func() { w.isListed = true }) },
		})
	}
	if err != nil && ctx.Err() == nil {
		w.update(func() { w.hidden = whyHidden(err) })
	}
}

// whyHidden says why the copies are not known.
func whyHidden(err error) string {
	if access.IsUnknown(err) {
		return "you may not watch the copies"
	}
	return "the copies cannot be watched: " + err.Error()
}

// now returns the rule as it is, and why its copies are not known.
func (w *ruleWatch) now(ctx context.Context) (rule access.Rule, hidden string, err error) {
	w.mu.Lock()
	rule, isRead, isDeleted, hidden := w.rule, w.isRead, w.isDeleted, w.hidden
	w.mu.Unlock()
	uid := rule.UID
	if isRead && !isDeleted {
		rule, err = w.i.cluster.Rule(ctx, rule.Kind, rule.Namespace, rule.Name)
		isDeleted = err == nil && rule.UID != uid // it was created again
	}
	if isDeleted {
		err = fmt.Errorf("the %s was deleted", rule)
	}
	return rule, hidden, err
}
