package clusterprojection

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Watch enqueues the rules that gain or lose a target when a namespace is created, changed or deleted.
func (n *Namespaces) Watch(ctx context.Context, informers cache.Informers, enqueue watch.EnqueueFunc) error {
	matcher := newEventMatcher(n)
	return watch.Namespaces(ctx, informers, func(before, after metav1.Object) { matcher.changed(ctx, before, after, enqueue) })
}

// changed enqueues the rules for which the namespace has become a target, or is none any more. Its deletion enqueues the rules that list
// it, too, since they report what is missing. A change of its labels enqueues the rules whose copy has failed there, too, since
// policies select namespaces by their labels, and so do owners of sources.
func (m *eventMatcher) changed(ctx context.Context, before, after metav1.Object, enqueue watch.EnqueueFunc) {
	noticed := time.Now()
	var rules v1.ClusterProjectionList
	if err := m.reader.List(ctx, &rules, client.UnsafeDisableDeepCopy); err != nil {
		return // the cache is not synced, or stopped: every rule is reconciled when it is
	}
	m.forget(len(rules.Items))
	for i := range rules.Items {
		rule := &rules.Items[i]
		key := watch.RuleKey{Kind: owner.ClusterProjection.Name, NamespacedName: client.ObjectKeyFromObject(rule)}
		if trigger := m.triggerOf(rule, key, before, after); trigger != "" {
			enqueue(key, trigger, noticed)
		}
	}
}

// triggerOf says why the change of the namespace enqueues the rule; empty: it does not. A rule that is not ready may have kept a copy in a
// namespace that it does not target any more, and has to delete it if the owner of the source does not permit it.
func (m *eventMatcher) triggerOf(rule *v1.ClusterProjection, key watch.RuleKey, before, after metav1.Object) watch.Trigger {
	was, is := m.isTarget(rule, before), m.isTarget(rule, after)
	permitted, permits := m.permissions.Permits(key, before), m.permissions.Permits(key, after)
	ended := after == nil && slices.Contains(rule.Spec.Destination.Namespaces, before.GetName())
	refused := after != nil && permitted && !permits
	switch {
	case was && !is, ended, refused && (was || !isSettled(rule)):
		return watch.NamespaceRemoved
	case is && !was, is && permits && (!permitted || mayHaveFailed(rule, after.GetName())):
		return watch.NamespaceAdded
	default:
		return ""
	}
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
