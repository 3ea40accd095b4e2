package cli

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// longestTargets is how long the namespaces are taken for the same while the operator counts as many as before.
const longestTargets = time.Minute

// targets is what changes if the rule changes, or how many namespaces it has.
type targets struct {
	generation      int64
	wanted, skipped int32
}

func targetsOf(rule access.Rule, info ruleInfo) targets {
	found := targets{generation: rule.Object.GetGeneration(), skipped: info.skipped}
	if info.Wanted != nil {
		found.wanted = *info.Wanted
	}
	return found
}

// asked says when the sources and the namespaces were read.
type asked struct {
	targets targets
	// sources is when the sources were read, and namespaces when these were listed; zero: never.
	sources, namespaces time.Time
}

// needs says what has to be read again for the targets.
func (a asked) needs(now targets, at time.Time) (namespaces, sources bool) {
	namespaces = a.namespaces.IsZero() || a.targets != now || at.Sub(a.namespaces) >= longestTargets
	return namespaces, namespaces || a.sources.IsZero() || at.Sub(a.sources) >= longestLook
}

// look returns how far the copies are.
func (w *ruleWatch) look(ctx context.Context, now time.Time) (progress, error) {
	rule, hidden, err := w.now(ctx)
	if err != nil {
		return progress{}, err
	}
	info := infoOf(rule, w.i.settings)
	seen := progress{Rule: ruleNameOf(rule), Unknown: hidden}
	seen.Failed, seen.Reasons = failuresOf(rule, info)
	leftAlone := 0
	if hidden == "" {
		if err := w.plan(ctx, rule, info, now); err != nil {
			return seen, err
		}
		leftAlone, err = w.compare(ctx, rule, info, &seen)
		if err != nil {
			return seen, err
		}
	}
	if seen.Unknown != "" && info.InSync != nil && info.Wanted != nil {
		seen.UpToDate, seen.Wanted, seen.Message = new(int64(*info.InSync)), new(int64(*info.Wanted)), ""
	}
	if seen.UpToDate != nil && seen.Message == "" {
		w.pace.add(now, int(*seen.UpToDate))
		seen.PerSecond, seen.SecondsLeft = w.pace.perSecond(), w.pace.rest(int(*seen.Wanted-*seen.UpToDate)-int(seen.Failed))
		seen.Complete = rule.IsObserved() && *seen.UpToDate+int64(leftAlone) == *seen.Wanted
	}
	if info.isPushed && info.Clusters != nil {
		seen.Complete = rule.IsObserved() && info.Clusters.InSync == info.Clusters.Targeted
	}
	if !seen.Complete {
		seen.Reason, seen.Because = whyWaiting(rule, info, seen)
	}
	return seen, nil
}

// plan finds out what the copies are to be, if that may have changed.
func (w *ruleWatch) plan(ctx context.Context, rule access.Rule, info ruleInfo, now time.Time) (err error) {
	current := targetsOf(rule, info)
	namespaces, sources := w.asked.needs(current, now)
	if namespaces {
		w.forecaster = forecast.New(ctx, w.i.cluster, w.i.settings, w.i.cluster.NamespacesOf(rule.Identity))
	}
	if !sources {
		return nil
	}
	if w.goal, err = w.forecaster.Goal(ctx, rule); err != nil {
		w.asked = asked{}
		return err
	}
	w.asked.targets, w.asked.sources = current, now
	if namespaces {
		w.asked.namespaces = now
	}
	return nil
}

// compare counts the copies that have the content that they are to have, and the objects in places of copies that the rule leaves alone.
func (w *ruleWatch) compare(ctx context.Context, rule access.Rule, info ruleInfo, seen *progress) (leftAlone int, err error) {
	if problem := w.goal.Problem; problem != nil && problem.State == forecast.Unknown {
		seen.Unknown = problem.Message
		return 0, nil
	} else if problem != nil {
		seen.Message = problem.Reason + ": " + problem.Message
	}
	upToDate, missing := w.count()
	seen.UpToDate, seen.Wanted = new(int64(upToDate)), new(int64(w.goal.Wanted))
	if !leavesAlone(rule, info) || len(missing) == 0 || upToDate+len(missing) < w.goal.Wanted {
		return 0, nil
	}
	return w.forecaster.LeftAlone(ctx, rule, w.goal, missing)
}

// leavesAlone reports whether the rule may be ready although there is another object in the place of a copy.
func leavesAlone(rule access.Rule, info ruleInfo) bool {
	return rule.Spec.Policy.OnConflict == v1.ConflictSkip && info.Ready == string(metav1.ConditionTrue)
}

// count returns how many copies have the content that they are to have, and the places without a copy.
func (w *ruleWatch) count() (upToDate int, missing []types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, copied := range w.copies {
		if w.goal.Has(copied) {
			upToDate++
		}
	}
	for at := range w.goal.Places() {
		if _, exists := w.copies[at]; !exists {
			missing = append(missing, at)
		}
	}
	return upToDate, missing
}
