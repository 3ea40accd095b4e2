package projector

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// withdrawn returns a function that is called right before each copy is written. It reports whether the copy is not wanted
// any more, as far as the watches know: the rule, the consent to copy the source or the namespace has changed. Then the copy is not
// written, and the event of that change has enqueued the rule.
//
// Example: the owner of a source opts out while the 40th of 300 copies is written. The other 260 are not
// written, and the next reconcile deletes the 40.
func (m *memberScope[O]) withdrawn(ctx context.Context, source *sourceScope[O]) func(namespace string) bool {
	sources, stillTarget := append([]*sourceScope[O]{source}, m.scope.layers...), func(string) bool { return true }
	if m.scope.adapter.StillTarget != nil {
		stillTarget = m.scope.adapter.StillTarget(ctx, m.scope.before)
	}
	return func(namespace string) bool {
		return m.scope.ruleWithdrawn(ctx) || !stillTarget(namespace) || m.isRenamed(ctx, source, namespace) ||
			slices.ContainsFunc(sources, func(source *sourceScope[O]) bool {
				return source.source != nil && (source.sourceWithdrawn() || !source.stillPermits(ctx, namespace))
			})
	}
}

// ruleWithdrawn reports whether the rule is gone, has been deleted, or has got another spec since this reconcile began.
func (s *scope[O]) ruleWithdrawn(ctx context.Context) bool {
	cached := s.adapter.New()
	err := s.hub.Client.Get(ctx, s.id.Key(), cached, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	if isNewer(s.before, cached) {
		return false
	}
	deleted := !cached.GetDeletionTimestamp().IsZero() && !s.isDeleting()
	return deleted || cached.GetUID() != s.before.GetUID() || cached.GetGeneration() != s.before.GetGeneration()
}

// suspended reports whether the rule is suspended, as far as the cache knows. It is called right before each request that changes or deletes
// a copy. The event of that change has enqueued the rule. A rule that the cache does not have is gone, or this installation does not select it
// any more: what was begun for it goes on.
//
// Example: somebody removes the finalizer of a rule, and deletes it, while the 40th of 300 opted-out copies is deleted. Nobody would delete the
// other 260 later.
func (s *scope[O]) suspended(ctx context.Context) func() bool {
	return func() bool {
		cached := s.adapter.New()
		err := s.hub.Client.Get(ctx, s.id.Key(), cached, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
		if err != nil {
			return !apierrors.IsNotFound(err)
		}
		return !isNewer(s.before, cached) && s.adapter.isSuspended(cached)
	}
}

// sourceWithdrawn reports whether the source is gone, or its owner does not consent any more to what the rule copies.
func (s *sourceScope[O]) sourceWithdrawn() bool {
	latest, found := s.newerEvent()
	if found && (s.scope.spec.Selects() || s.selection != nil) && !s.matches(latest) {
		return true
	}
	return found && (latest.Deleted || !s.planner.Consents(s.spec, latest.Annotations))
}

// stillPermits reports whether the owner of the source permits a copy in the namespace, by the labels that the namespace has now.
//
// Example: the owner permits namespaces with the label team=shop. While the 40th of 300 copies is written, somebody takes the label off the
// namespace of the 50th. The 50th is not written.
func (s *sourceScope[O]) stillPermits(ctx context.Context, namespace string) bool {
	permission := s.permission
	if latest, found := s.newerEvent(); found {
		permission, _ = policy.PermissionOf(latest.Annotations) // with an error, it permits nothing
	}
	permits, _, err := s.planner.Permits(ctx, permission, namespace)
	return permits && err == nil
}

// newerEvent returns the last event of the source, if it is newer than the source as it was read.
func (s *sourceScope[O]) newerEvent() (watch.LastEvent, bool) {
	latest := s.from.Sources.LastEvent(s.kind.GroupVersionResource(), s.sourceKey())
	return latest, latest.ResourceVersion != "" && watch.IsNewer(latest.ResourceVersion, s.source.GetResourceVersion())
}

// matches reports whether the selector of the rule matches the source as the event has it.
func (s *sourceScope[O]) matches(latest watch.LastEvent) bool {
	if s.selection != nil {
		return s.selection.selector.Matches(labels.Set(latest.Labels))
	}
	selector, err := metav1.LabelSelectorAsSelector(s.scope.spec.Source.Selector.LabelSelector())
	return err == nil && selector.Matches(labels.Set(latest.Labels))
}
