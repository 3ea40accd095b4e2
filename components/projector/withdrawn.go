package projector

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/watch"
)

// withdrawn returns a function that is called right before each copy is written. It reports whether the copy is not wanted
// any more, as far as the watches know: the rule, the consent to copy the source or the namespace has changed. Then the copy is not
// written, and the event of that change has enqueued the rule.
//
// Example: the owner of a source opts out while the 40th of 300 copies is written. The other 260 are not
// written, and the next reconcile deletes the 40.
func (m *memberScope[O]) withdrawn(ctx context.Context) func(namespace string) bool {
	stillTarget := func(string) bool { return true }
	if m.scope.adapter.StillTarget != nil {
		stillTarget = m.scope.adapter.StillTarget(ctx, m.scope.before)
	}
	return func(namespace string) bool {
		return m.scope.ruleWithdrawn(ctx) || m.scope.sourceWithdrawn() || !stillTarget(namespace)
	}
}

// ruleWithdrawn reports whether the rule is gone, is being deleted, or has another spec than this reconcile knows.
func (s *scope[O]) ruleWithdrawn(ctx context.Context) bool {
	cached := s.adapter.New()
	err := s.hub.Client.Get(ctx, s.id.Key(), cached, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	if isNewer(s.before, cached) {
		return false
	}
	return cached.GetUID() != s.before.GetUID() || cached.GetGeneration() != s.before.GetGeneration() || !cached.GetDeletionTimestamp().IsZero()
}

// sourceWithdrawn reports whether the source is gone, or its owner does not consent any more to what the rule copies.
func (s *scope[O]) sourceWithdrawn() bool {
	latest := s.local.member.Sources.LastEvent(s.kind.GroupVersionResource(), s.sourceKey())
	if latest.ResourceVersion == "" || !watch.IsNewer(latest.ResourceVersion, s.source.GetResourceVersion()) {
		return false
	}
	return latest.Deleted || !s.config.Mode.Consents(latest.Annotations) || !s.planner.DeclaresKeys(s.before, latest.Annotations)
}
