package clusterprojection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Watch enqueues the rules that gain or lose a target when a namespace is created, changed or deleted. Before the cache is synced it
// enqueues none, since every rule is reconciled when the operator starts.
func (n *Namespaces) Watch(ctx context.Context, informers cache.Informers, enqueue watch.EnqueueFunc) error {
	informer, err := informers.GetInformer(ctx, prototype(), cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch the namespaces: %w", err)
	}
	matcher := newEventMatcher(n)
	changed := func(before, after metav1.Object) { matcher.changed(ctx, before, after, enqueue) }
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(added any, initial bool) {
			if namespace := metadataOf(added); namespace != nil && !initial {
				changed(nil, namespace)
			}
		},
		UpdateFunc: func(before, after any) {
			if before, after := metadataOf(before), metadataOf(after); before != nil && after != nil && !sameTargets(before, after) {
				changed(before, after)
			}
		},
		DeleteFunc: func(deleted any) {
			if namespace := metadataOf(deleted); namespace != nil {
				changed(namespace, nil)
			}
		},
	})
	return err
}

// sameTargets reports whether the namespaces are targets of the same rules.
func sameTargets(before, after metav1.Object) bool {
	return maps.Equal(before.GetLabels(), after.GetLabels()) &&
		(before.GetDeletionTimestamp() == nil) == (after.GetDeletionTimestamp() == nil)
}

// metadataOf returns the metadata of what an informer hands out, nil if there is none.
func metadataOf(object any) metav1.Object {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	namespace, _ := object.(metav1.Object)
	return namespace
}

// changed enqueues the rules for which the namespace has become a target, or is none any more. Its deletion enqueues the rules that list
// it, too, since they report what is missing. A change of its labels enqueues the rules whose copy has failed there, too, since
// policies select namespaces by their labels.
func (m *eventMatcher) changed(ctx context.Context, before, after metav1.Object, enqueue watch.EnqueueFunc) {
	noticed := time.Now()
	var rules v1.ClusterProjectionList
	if err := m.reader.List(ctx, &rules, client.UnsafeDisableDeepCopy); err != nil {
		return // the cache is not synced, or stopped: every rule is reconciled when it is
	}
	m.forget(len(rules.Items))
	for i := range rules.Items {
		rule := &rules.Items[i]
		was, is := m.isTarget(rule, before), m.isTarget(rule, after)
		ended := after == nil && slices.Contains(rule.Spec.Destination.Namespaces, before.GetName())
		retries := was && is && mayHaveFailed(rule, after.GetName())
		trigger := watch.NamespaceAdded
		if was && !is || ended {
			trigger = watch.NamespaceRemoved
		}
		if was != is || ended || retries {
			enqueue(watch.RuleKey{Kind: owner.ClusterProjection.Name, NamespacedName: client.ObjectKeyFromObject(rule)}, trigger, noticed)
		}
	}
}

// mayHaveFailed reports whether the rule may lack its copy in the namespace. The status counts all failures, and names some.
func mayHaveFailed(rule *v1.ClusterProjection, namespace string) bool {
	failed := int(ptr.Deref(rule.Status.NamespacesFailed, 0))
	return failed > len(rule.Status.Failures) || failed > 0 &&
		slices.ContainsFunc(rule.Status.Failures, func(f v1.NamespaceFailure) bool { return f.Namespace == namespace })
}
