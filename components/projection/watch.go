package projection

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"projection.sh/operator/components/watch"
)

// Watch enqueues the rules of a namespace when its labels change and their sources permit copies by these labels. It does so, too, when the
// namespace becomes known: until then, such rules wait. And it enqueues the rules whose expressions read what has changed.
func Watch(
	ctx context.Context, informers cache.Informers, permissions *watch.Permissions, names *watch.Names, enqueue watch.EnqueueFunc,
) error {
	return watch.Namespaces(ctx, informers, func(before, after metav1.Object) {
		changed(before, after, permissions, enqueue)
		noticed := time.Now()
		for _, rule := range names.Affected(before, after) {
			enqueue(rule, watch.NamespaceAdded, noticed)
		}
	})
}

func changed(before, after metav1.Object, permissions *watch.Permissions, enqueue watch.EnqueueFunc) {
	if after == nil { // its rules end with it
		return
	}
	noticed := time.Now()
	for _, rule := range permissions.Limited(after.GetName()) {
		permitted := permissions.Permits(rule, after)
		if before != nil && permissions.Permits(rule, before) == permitted && !permissions.Change(rule, before, after) {
			continue
		}
		trigger := watch.NamespaceAdded
		if !permitted {
			trigger = watch.NamespaceRemoved
		}
		enqueue(rule, trigger, noticed)
	}
}
