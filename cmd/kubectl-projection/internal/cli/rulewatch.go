package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// ruleWatch follows a rule and its copies.
type ruleWatch struct {
	i inquiry
	// changed has something if the rule or a copy has changed since it was last read.
	changed chan struct{}

	mu sync.Mutex
	// rule is as it was last seen; isDeleted reports whether it exists no more.
	rule      access.Rule
	isDeleted bool
	// isRead reports whether the rule has to be read for each look, since it cannot be followed.
	isRead bool
	// copies are those of the rule, once isListed. Hidden says why they are not known.
	copies   map[types.NamespacedName]forecast.Copied
	isListed bool
	hidden   string

	forecaster *forecast.Forecaster
	planned    targets
	pace       pace
}

// targets is what changes if the rule or its namespaces change.
type targets struct {
	generation      int64
	wanted, skipped int32
}

// Intervals of looks at the copies.
const (
	shortestLook = time.Second     // if something has changed
	longestLook  = 5 * time.Second // since sources are not followed
)

func (i inquiry) newRuleWatch(rule access.Rule) *ruleWatch {
	return &ruleWatch{i: i, rule: rule, changed: make(chan struct{}, 1), copies: map[types.NamespacedName]forecast.Copied{}}
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
		if err != nil {
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

// update changes what is known.
func (w *ruleWatch) update(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	leaveNote(w.changed)
}

// leaveNote has a channel with room for one note hold it.
func leaveNote(changed chan<- struct{}) {
	select {
	case changed <- struct{}{}:
	default:
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
	resource, err := w.i.forecaster(ctx, rule.Namespace).Copies(ctx, rule)
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
		w.update(func() { w.hidden = "you may not watch the copies" })
	}
}

// look returns how far the copies are.
func (w *ruleWatch) look(ctx context.Context, now time.Time) (progress, error) {
	rule, hidden, err := w.now(ctx)
	if err != nil {
		return progress{}, err
	}
	info := infoOf(rule, w.i.settings)
	seen := progress{Rule: ruleName{info.Kind, info.Namespace, info.Name}, Unknown: hidden}
	seen.Failed, seen.Reasons = failuresOf(rule, info)
	if hidden == "" {
		goal, err := w.goal(ctx, rule, info)
		if err != nil {
			return seen, err
		}
		w.compare(&seen, goal)
	}
	if seen.Unknown != "" && info.InSync != nil && info.Wanted != nil {
		seen.UpToDate, seen.Wanted, seen.Message = new(int64(*info.InSync)), new(int64(*info.Wanted)), ""
	}
	if seen.UpToDate != nil && seen.Message == "" {
		w.pace.add(now, int(*seen.UpToDate))
		seen.PerSecond, seen.SecondsLeft = w.pace.perSecond(), w.pace.rest(int(*seen.Wanted-*seen.UpToDate)-int(seen.Failed))
		seen.Complete = isObserved(rule) && (*seen.UpToDate == *seen.Wanted || doesWithout(rule, info, *seen.UpToDate))
	}
	return seen, nil
}

// doesWithout reports whether so many copies are all that the rule can have, since it leaves other objects alone. The operator does not count these.
func doesWithout(rule access.Rule, info ruleInfo, upToDate int64) bool {
	if rule.Spec.Policy.OnConflict != v1.ConflictSkip || info.Ready != string(metav1.ConditionTrue) || info.Wanted == nil {
		return false
	}
	return upToDate >= copiesCounted(rule, *info.Wanted)
}

// now returns the rule as it is, and why its copies are not known.
func (w *ruleWatch) now(ctx context.Context) (rule access.Rule, hidden string, err error) {
	w.mu.Lock()
	rule, isRead, isDeleted, hidden := w.rule, w.isRead, w.isDeleted, w.hidden
	w.mu.Unlock()
	switch {
	case isDeleted:
		return rule, hidden, fmt.Errorf("the %s was deleted", rule)
	case isRead:
		rule, err = w.i.cluster.Rule(ctx, rule.Kind, rule.Namespace, rule.Name)
	}
	return rule, hidden, err
}

// goal returns what the copies are to be now. The namespaces are listed again if the rule has other targets.
func (w *ruleWatch) goal(ctx context.Context, rule access.Rule, info ruleInfo) (forecast.Goal, error) {
	planned := targets{generation: rule.Object.GetGeneration(), skipped: info.skipped}
	if info.Wanted != nil {
		planned.wanted = *info.Wanted
	}
	if w.forecaster == nil || w.planned != planned {
		namespaces := w.i.cluster.AllNamespaces()
		if rule.Kind.Namespaced {
			namespaces = w.i.cluster.OneNamespace(rule.Namespace)
		}
		w.forecaster, w.planned = forecast.New(ctx, w.i.cluster, w.i.settings, namespaces), planned
	}
	return w.forecaster.Goal(ctx, rule)
}

// compare counts the copies that have the content that they are to have.
func (w *ruleWatch) compare(seen *progress, goal forecast.Goal) {
	if problem := goal.Problem; problem != nil && problem.State == forecast.Unknown {
		seen.Unknown = problem.Message
		return
	} else if problem != nil {
		seen.Message = problem.Reason + ": " + problem.Message
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	upToDate := int64(0)
	for _, copied := range w.copies {
		if goal.Has(copied) {
			upToDate++
		}
	}
	seen.UpToDate, seen.Wanted = &upToDate, new(int64(goal.Wanted))
}
