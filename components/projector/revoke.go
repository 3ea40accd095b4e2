package projector

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

var (
	configMap = schema.GroupKind{Kind: "ConfigMap"}
	secret    = schema.GroupKind{Kind: "Secret"}
)

// revoke deletes the copies that the owner of the source does not permit any more: before others are written, and even if the rule cannot be
// carried out. These are copies in namespaces that the owner does not permit, and ConfigMaps with keys of a Secret that the owner does not
// declare public. What fails here is reported at the end: it keeps no other copy from being written.
//
// Example: a rule copies keys of a Secret as a ConfigMap. Its author removes destination.kind, but a foreign Secret is in the way, so the
// ConfigMap stays. Then the owner of the Secret declares no key public any more.
func (s *scope[O]) revoke(ctx context.Context) error {
	if s.source != nil {
		s.revokeBy(ctx, s.source.GetAnnotations())
	}
	return nil
}

// revokeBy deletes the copies that the owner of a source with these annotations does not permit.
func (s *scope[O]) revokeBy(ctx context.Context, annotations map[string]string) {
	kinds := s.revocableKinds(ctx)
	planned := map[types.NamespacedName]bool{}
	for target := range s.local.underWay { // such a write asks itself whether the owner permits it
		planned[target.NamespacedName] = true
	}
	public := policy.PublicKeys(annotations)
	for _, kind := range kinds {
		sets, err := s.local.openCopySets(ctx, []source.Kind{kind})
		if err != nil {
			s.local.revokeErr = errors.Join(s.local.revokeErr, err)
			continue
		}
		revoked := slices.DeleteFunc(sets[0].Cache.ByOwner(s.id.Key()), func(copied destination.Copy) bool {
			undeclared := copied.IsOf(secret, s.sourceKey()) && kind.GroupKind() == configMap && !policy.ArePublic(copied.Published, public)
			return !undeclared && !s.isRefused(ctx, copied.Namespace)
		})
		if len(revoked) > 0 {
			s.local.revoke(ctx, sets[0], revoked, planned)
		}
	}
}

// revoke deletes the copies of a set. The deletions are not made again in this reconcile.
func (m *memberScope[O]) revoke(ctx context.Context, set copySet, copies []destination.Copy, planned map[types.NamespacedName]bool) {
	unwanted := make([]unwantedCopy, len(copies))
	for i, copied := range copies {
		m.revoked[set.target(copied.NamespacedName)] = true
		unwanted[i] = unwantedCopy{copied, deleteIt}
	}
	m.sets = append(m.sets, set)
	if err := m.scope.endRecord(ctx); err != nil && !errors.Is(err, errOutdated) { // claim writes it again for the other copies
		m.revokeErr = errors.Join(m.revokeErr, err)
	}
	m.revokeErr = errors.Join(m.revokeErr, m.endCopies(ctx, set, unwanted, planned))
}

// revocableKinds returns the kinds of which there may be copies that the owner of the source does not permit.
func (s *scope[O]) revocableKinds(ctx context.Context) (kinds []source.Kind) {
	candidates := recordedKinds(s.rule)
	switch {
	case s.permission.IsLimited():
		candidates, _ = s.local.withUnrecordedKinds(ctx, candidates) // loadInventory reports the error
	case s.spec.Source.GroupKind() != secret:
		return nil
	default:
		candidates = slices.DeleteFunc(candidates, func(kind schema.GroupKind) bool { return kind != configMap })
	}
	for _, candidate := range candidates {
		kind, err := s.local.member.Resolver.ResolveKind(ctx, candidate)
		switch {
		case err == nil:
			kinds = append(kinds, kind)
		case !source.IsKindError(err):
			s.local.revokeErr = errors.Join(s.local.revokeErr, err)
		}
	}
	return kinds
}

// isRefused reports whether the owner of the source is known not to permit a copy in the namespace.
func (s *scope[O]) isRefused(ctx context.Context, namespace string) bool {
	permits, known, err := s.planner.Permits(ctx, s.permission, namespace)
	return err == nil && known && !permits
}

// withRevoked returns the error with which a reconcile ends. One that would not be tried again gives way to what has kept a copy from being
// revoked.
func (s *scope[O]) withRevoked(err error) error {
	if stopped, ok := errors.AsType[*plan.Error](err); !ok || stopped.Retry && !stopped.Refused {
		return err
	}
	if failed := joinErrors(s.local.removals); failed != nil {
		return failed
	}
	if s.local.revokeErr != nil {
		return s.unlisted(s.local.revokeErr)
	}
	return err
}
