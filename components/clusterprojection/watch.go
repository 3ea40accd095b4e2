package clusterprojection

import (
	"context"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// Watch enqueues the rules that gain or lose a target when a namespace is created, changed or deleted.
func (n *Namespaces) Watch(ctx context.Context, informers cache.Informers, enqueue watch.EnqueueFunc) error {
	return watch.Namespaces(ctx, informers, n.Changes(ctx, enqueue))
}

// Changes returns a function that enqueues the rules as Watch does, when a namespace has become the one after. One of both may be nil. Calls of the
// function must not overlap.
func (n *Namespaces) Changes(ctx context.Context, enqueue watch.EnqueueFunc) func(before, after metav1.Object) {
	matcher := newEventMatcher(n)
	return func(before, after metav1.Object) { matcher.changed(ctx, before, after, enqueue) }
}

// changed enqueues the rules for which the namespace has become a target, or is none any more. Its deletion enqueues the rules that list
// it, too, since they report what is missing. A change of its labels enqueues the rules whose copy has failed there, too, since
// policies select namespaces by their labels, and so do owners of sources and waves of rollouts. A change
// of labels or annotations that expressions of a rule read enqueues the rule.
func (m *eventMatcher) changed(ctx context.Context, before, after metav1.Object, enqueue watch.EnqueueFunc) {
	if before != nil && after != nil && onlyAnnotated(before, after) && !m.names.ReadChange(before, after) {
		return
	}
	noticed := time.Now()
	var rules v1.ClusterProjectionList
	if err := m.reader.List(ctx, &rules, client.UnsafeDisableDeepCopy); err != nil {
		return // the cache is not synced, or stopped: every rule is reconciled when it is
	}
	m.forget(len(rules.Items))
	for i := range rules.Items {
		rule := &rules.Items[i]
		key := watch.RuleKey{Kind: m.in.Kind.String(), NamespacedName: client.ObjectKeyFromObject(rule)}
		if trigger := m.triggerOf(rule, key, before, after); trigger != "" {
			enqueue(key, trigger, noticed)
		}
	}
}

// onlyAnnotated reports whether nothing of the namespace has changed that decides whether it is a target.
func onlyAnnotated(before, after metav1.Object) bool {
	return !relabelled(before, after) && isAlive(before) == isAlive(after)
}

// triggerOf says why the change of the namespace enqueues the rule; empty: it does not. A rule that is not ready may have kept a copy in a
// namespace that it does not target any more, and has to delete it if the owner of the source does not permit it.
func (m *eventMatcher) triggerOf(rule *v1.ClusterProjection, key watch.RuleKey, before, after metav1.Object) watch.Trigger {
	was, is := m.isTarget(rule, before), m.isTarget(rule, after)
	permission := m.permissionsChange(key, before, after)
	switch {
	case was && !is, m.hasEnded(rule, before, after), permission.isLost && (was || !isSettled(rule)):
		return watch.NamespaceRemoved
	case is && !was, is && permission.isNew, is && permission.holds && isRetried(rule, before, after), was && is && m.readsChange(rule, key, before, after),
		permission.differs && (is || !isSettled(rule)):
		return watch.NamespaceAdded
	default:
		return ""
	}
}

// permissionsChange is what the change of a namespace means to the permissions of the owners of a rule's sources.
type permissionsChange struct {
	// holds reports whether copies are permitted in the namespace, isNew whether they were not before, and isLost whether they are not any more.
	holds, isNew, isLost bool
	// differs reports whether one of the owners decides otherwise than before.
	differs bool
}

func (m *eventMatcher) permissionsChange(key watch.RuleKey, before, after metav1.Object) permissionsChange {
	permitted, permits := m.permissions.Permits(key, before), m.permissions.Permits(key, after)
	return permissionsChange{
		holds: permits, isNew: permits && !permitted, isLost: permitted && !permits && after != nil, differs: m.permissions.Change(key, before, after),
	}
}

// hasEnded reports whether a namespace that the rule lists is deleted.
func (n *Namespaces) hasEnded(rule *v1.ClusterProjection, before, after metav1.Object) bool {
	if after != nil || !slices.Contains(rule.Spec.Destination.Namespaces, before.GetName()) {
		return false
	}
	scope, err := n.scopeOf(rule)
	return err == nil && scope.IsTarget
}

// isRetried reports whether the rule may lack its copy in the namespace, and another try may succeed since the labels have changed.
func isRetried(rule *v1.ClusterProjection, before, after metav1.Object) bool {
	return relabelled(before, after) && mayHaveFailed(rule, after.GetName())
}

func relabelled(before, after metav1.Object) bool {
	return before == nil || after == nil || !maps.Equal(before.GetLabels(), after.GetLabels())
}

// isSettled reports whether the rule is ready in its present generation. Then it has no copies but those that it wants.
func isSettled(rule *v1.ClusterProjection) bool {
	return rule.Status.ObservedGeneration == rule.Generation && meta.IsStatusConditionTrue(rule.Status.Conditions, v1.ConditionReady)
}

// mayHaveFailed reports whether the rule may lack its copy in the namespace. The status counts all failures, and names some.
func mayHaveFailed(rule *v1.ClusterProjection, namespace string) bool {
	failed := int(ptr.Deref(rule.Status.NamespacesFailed, 0))
	return failed > len(rule.Status.Failures) || failed > 0 &&
		slices.ContainsFunc(rule.Status.Failures, func(f v1.NamespaceFailure) bool { return f.Namespace == namespace })
}

// readsChange reports whether the change of a target concerns expressions of the rule, or the waves of its rollout.
func (m *eventMatcher) readsChange(rule *v1.ClusterProjection, key watch.RuleKey, before, after metav1.Object) bool {
	return m.names.Of(key).ReadsChange(before, after) || m.changesWave(rule, before, after)
}
