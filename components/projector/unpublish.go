package projector

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

var (
	configMap = schema.GroupKind{Kind: "ConfigMap"}
	secret    = schema.GroupKind{Kind: "Secret"}
)

// unpublish deletes the ConfigMaps that hold keys of the source, a Secret, which its owner does not declare public any more: before the copies
// are written that replace them, and even if the rule cannot be carried out.
//
// Example: a rule copies keys of a Secret as a ConfigMap. Its author removes destination.kind, but a foreign Secret is in the way, so the
// ConfigMap stays. Then the owner of the Secret declares no key public any more.
func (s *scope[O]) unpublish(ctx context.Context) error {
	if s.source == nil || s.spec.Source.GroupKind() != secret || !slices.Contains(recordedKinds(s.rule), configMap) {
		return nil
	}
	kind, err := s.local.member.Resolver.ResolveKind(ctx, configMap)
	if err != nil {
		return s.unlisted(err)
	}
	sets, err := s.local.openCopySets(ctx, []source.Kind{kind})
	if err != nil {
		return s.unlisted(err)
	}
	set, planned := sets[0], map[types.NamespacedName]bool{}
	for target := range s.local.underWay { // such a write asks itself whether the keys are public
		planned[target.NamespacedName] = true
	}
	public := policy.PublicKeys(s.source.GetAnnotations())
	undeclared := set.Cache.Select(s.id.Key(), func(_ types.NamespacedName, copied *destination.State) bool {
		return copied.IsOf(secret, s.sourceKey()) && !policy.ArePublic(copied.Published, public)
	})
	if len(undeclared) == 0 {
		return nil
	}
	s.local.sets = sets
	s.local.deleteCopies(set, undeclared, planned)
	return joinErrors(s.local.removals)
}
