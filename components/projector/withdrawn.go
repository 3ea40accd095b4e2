package projector

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/watch"
)

// withdrawn returns a function that is called right before each copy is written. It reports whether the copy is not wanted
// any more, as far as the watches have told: the rule, the consent of the source or the namespace has changed. Then the copy
// is not written, and the event has enqueued the rule.
//
// Example: the owner of a source vetoes its projection while the 40th of 300 copies is written. The other 260 are not
// written, and the next reconcile deletes the 40.
func (p *pass[O]) withdrawn(ctx context.Context) func(namespace string) bool {
	stillTarget := func(string) bool { return true }
	if p.rules.StillTarget != nil {
		stillTarget = p.rules.StillTarget(ctx, p.before)
	}
	return func(namespace string) bool {
		return p.ruleWithdrawn(ctx) || p.sourceWithdrawn() || !stillTarget(namespace)
	}
}

// ruleWithdrawn reports whether the rule is gone, is being deleted, or has another spec than this reconcile knows.
func (p *pass[O]) ruleWithdrawn(ctx context.Context) bool {
	cached := p.rules.New()
	err := p.parts.Client.Get(ctx, p.id.Key(), cached, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	if err != nil {
		return apierrors.IsNotFound(err)
	}
	if isNewer(p.before, cached) {
		return false
	}
	return cached.GetUID() != p.before.GetUID() || cached.GetGeneration() != p.before.GetGeneration() || !cached.GetDeletionTimestamp().IsZero()
}

// sourceWithdrawn reports whether the source is gone, or does not consent any more.
func (p *pass[O]) sourceWithdrawn() bool {
	latest := p.parts.Sources.Latest(p.kind.GroupVersionResource(), p.sourceAt())
	if latest.ResourceVersion == "" || !watch.IsNewer(latest.ResourceVersion, p.source.GetResourceVersion()) {
		return false
	}
	return latest.Deleted || !p.settings.Mode.Consents(latest.Annotations)
}
