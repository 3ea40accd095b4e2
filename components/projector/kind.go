package projector

import (
	"context"

	"projection.sh/operator/components/source"
)

// resolveKind finds the kind of the source. It closes the watches on a kind that is not served any more, once no other rule
// holds them. A rule that has to wait for discovery does not keep its worker.
func (s *scope[O]) resolveKind(ctx context.Context) (err error) {
	if !s.from.Resolver.IsKnown(s.spec.Source) {
		s.run.release()
	}
	s.kind, err = s.planner.ResolveKind(ctx, s.rule)
	for _, source := range s.all() {
		if source.kind = s.kind; source.isLayer && err == nil {
			source.kind, err = s.planner.ResolveSourceKind(ctx, source.spec.Source)
		}
	}
	for _, each := range s.selections {
		if err == nil {
			each.kind, err = s.planner.ResolveSourceKind(ctx, each.spec.Source)
		}
	}
	if source.IsNotServed(err) {
		s.from.Sources.Forget(s.key)
		s.local.member.Blockers.Forget(s.key)
		s.local.member.Inventory.Release(s.key)
	}
	if err == nil {
		s.copyKind, err = s.planner.ResolveCopyKind(ctx, s.rule, s.kind)
	}
	return err
}
