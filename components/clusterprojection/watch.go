package clusterprojection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Watch wakes the rules that gain or lose a target when a namespace appears, changes or goes. Before the cache is synced
// it wakes nobody, since every rule has a pass when the operator starts.
func (n *Namespaces) Watch(ctx context.Context, informers cache.Informers, wake watch.EnqueueFunc) error {
	informer, err := informers.GetInformer(ctx, prototype(), cache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("watch the namespaces: %w", err)
	}
	changed := func(before, after metav1.Object) { n.changed(ctx, before, after, wake) }
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

// sameTargets tells whether the namespaces are targets of the same rules.
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

// changed wakes the rules for which the namespace has become a target, or is none any more. Those that list it are woken
// by its end, too, since they report what is missing.
func (n *Namespaces) changed(ctx context.Context, before, after metav1.Object, wake watch.EnqueueFunc) {
	noticed := time.Now()
	var rules v1.ClusterProjectionList
	if err := n.reader.List(ctx, &rules, client.UnsafeDisableDeepCopy); err != nil {
		return // the cache is not there yet, or no more: every rule has a pass when it is
	}
	for i := range rules.Items {
		rule := &rules.Items[i]
		matches, err := n.matcher(rule)
		if err != nil {
			continue // the rule's own pass says so
		}
		was, is := before != nil && matches(before), after != nil && matches(after)
		ended := after == nil && slices.Contains(rule.Spec.Destination.Namespaces, before.GetName())
		cause := watch.NamespaceAdded
		if was || ended {
			cause = watch.NamespaceRemoved
		}
		if was != is || ended {
			wake(watch.RuleKey{Kind: owner.ClusterProjection.Name, NamespacedName: client.ObjectKeyFromObject(rule)}, cause, noticed)
		}
	}
}
