package projector

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/projector/internal/memory"
)

// takeOverTime is how long another installation may take to report on a rule that it has come to select.
const takeOverTime = 2 * time.Second

// reconcileUncached deals with a rule that the cache does not have: it was deleted, or the selector selects it no longer.
func (p *Projector[O]) reconcileUncached(ctx context.Context, key types.NamespacedName, run *run) (reconcile.Result, error) {
	rule, exists, err := p.getUnselected(ctx, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	before := p.forgetRule(key)
	if !exists {
		return reconcile.Result{}, p.deleteLate(ctx, key, before.Triggers, "")
	}
	if p.config.Selector.Matches(labels.Set(rule.GetLabels())) { // the event of that enqueues the rule
		return reconcile.Result{}, nil
	}
	// The rule lives, and another installation may write its copies: tombstones of the rule do not count.
	if err := p.deleteLate(ctx, key, before.Triggers, rule.GetUID()); err != nil {
		p.memory.Do(key, func(r *memory.Rule) { r.Reconciled, r.Unselected = before.Reconciled, before.Unselected })
		return reconcile.Result{}, err
	}
	if !controllerutil.ContainsFinalizer(rule, p.adapter.Kind.Finalizer) || !lacksKey(p.config.Selector, rule) {
		return reconcile.Result{}, nil
	}
	return p.reconcileUnselected(ctx, rule, run, before.Unselected)
}

// deleteLate deletes copies that were written late, of a rule that the cache does not have, and logs that.
func (p *Projector[O]) deleteLate(ctx context.Context, key types.NamespacedName, triggers memory.Triggers, except types.UID) error {
	deleted, err := p.member.deleteLate(ctx, p.adapter.Kind, key, p.tombstones, except, nil)
	logUncached(ctx, triggers, deleted, err)
	return err
}

// getUnselected reads the rule from the API server, if this installation selects rules and has reconciled this one.
func (p *Projector[O]) getUnselected(ctx context.Context, key types.NamespacedName) (rule O, exists bool, err error) {
	known := len(p.tombstones.Of(key)) > 0
	p.memory.Do(key, func(r *memory.Rule) { known = known || r.Reconciled })
	if !known || p.config.Selector == nil || p.config.Selector.Empty() {
		return rule, false, nil
	}
	rule = p.adapter.New()
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err = p.hub.Live.Get(limited, key, rule)
	if apierr.IsObjectNotFound(err, key.Name) {
		return rule, false, nil
	}
	if err != nil {
		return rule, false, fmt.Errorf("read the rule, which is not in the cache any more: %w", err)
	}
	return rule, true, nil
}

// lacksKey reports whether the rule has lost a label that the selector asks for. A rule that has the label with another value was moved to
// another installation.
func lacksKey(selector labels.Selector, rule client.Object) bool {
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		switch requirement.Operator() {
		case selection.NotIn, selection.NotEquals, selection.DoesNotExist:
		default:
			if _, found := rule.GetLabels()[requirement.Key()]; !found {
				return true
			}
		}
	}
	return false
}

// reconcileUnselected looks after a rule that has lost the label by which this installation selects rules: it says so in the status, and
// deletes the copies if the rule is deleted. It ends when another installation reports on the rule.
func (p *Projector[O]) reconcileUnselected(ctx context.Context, rule O, run *run, last memory.Unselected) (reconcile.Result, error) {
	remember := func(state memory.Unselected) {
		p.memory.Do(client.ObjectKeyFromObject(rule), func(r *memory.Rule) { r.Reconciled, r.Unselected = true, state })
	}
	if !rule.GetDeletionTimestamp().IsZero() {
		s := p.newScope(rule, run)
		defer s.end()
		result, err := s.finish(ctx, s.catchPanic(ctx, func() error { return s.finalize(ctx) }))
		if result.IsZero() { // no event tells of the end of the rule
			result.RequeueAfter = cacheDelay
		}
		return result, err
	}
	if last.Since.IsZero() {
		last.Since = p.clock()
	}
	if wait := last.Since.Add(takeOverTime).Sub(p.clock()); wait > 0 {
		remember(last)
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	said := meta.FindStatusCondition(rule.GetCommonStatus().Conditions, v1.ConditionReady)
	if last.Reported && (said == nil || said.Reason != v1.ReasonRuleNotSelected) { // another installation reconciles it
		return reconcile.Result{}, nil
	}
	if !last.Reported {
		setUnselected(rule, p.config.Selector)
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		switch err := p.hub.Client.Status().Update(limited, rule); {
		case apierrors.IsConflict(err):
			remember(last)
			return reconcile.Result{RequeueAfter: cacheDelay}, nil
		case apierr.IsObjectNotFound(err, rule.GetName()):
			return reconcile.Result{}, nil
		case err != nil:
			remember(last)
			return reconcile.Result{}, err
		}
		last.Reported = true
	}
	remember(last)
	return reconcile.Result{RequeueAfter: p.config.Requeue}, nil
}

// setUnselected sets the conditions of a rule that the selector does not select.
func setUnselected[O interface {
	client.Object
	GetCommonStatus() *v1.CommonStatus
}](rule O, selector labels.Selector) {
	status := rule.GetCommonStatus()
	ready := metav1.Condition{
		Type: v1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1.ReasonRuleNotSelected,
		Message: fmt.Sprintf("the rule has lost a label by which its installation selects rules (%s), so nothing reconciles it and its copies stay as they are; "+
			"restore the label, or give the rule that of another installation", selector),
		ObservedGeneration: rule.GetGeneration(),
	}
	stalled := stalledCondition(ready)
	stalled.ObservedGeneration = rule.GetGeneration()
	meta.SetStatusCondition(&status.Conditions, ready)
	meta.SetStatusCondition(&status.Conditions, stalled)
}
