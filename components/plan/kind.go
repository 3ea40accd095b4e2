package plan

import (
	"context"
	"errors"
	"time"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

// propagationInterval is when to look again while the API server is about to serve other kinds.
const propagationInterval = 500 * time.Millisecond

// ResolveKind finds the kind of the rule's source: of one in another cluster than the copies, in the version in which their cluster serves the
// kind. A change of the kind's CustomResourceDefinition enqueues a rule whose kind cannot be copied, but the API server may take a moment until it serves
// kinds as they are defined.
func (p *Planner[O]) ResolveKind(ctx context.Context, rule O) (source.Kind, error) {
	spec := p.Spec(rule)
	if p.elsewhere == nil || spec.CopyKind != "" {
		return p.ResolveSourceKind(ctx, spec.Source)
	}
	copies, err := p.resolveIn(ctx, p.Resolver, spec.Source)
	if err != nil {
		return source.Kind{}, err
	}
	pinned := spec.Source
	pinned.Version = copies.Version
	return p.ResolveSourceKind(ctx, pinned)
}

// ResolveSourceKind finds the kind of a source or a layer.
func (p *Planner[O]) ResolveSourceKind(ctx context.Context, ref v1.SourceRef) (source.Kind, error) {
	return p.resolveIn(ctx, p.sources(), ref)
}

func (p *Planner[O]) resolveIn(ctx context.Context, resolver *source.Resolver, ref v1.SourceRef) (source.Kind, error) {
	kind, err := resolver.Resolve(ctx, ref)
	unusable, refused := errors.AsType[*source.KindError](err)
	if cluster := p.nameOf(resolver, ref); refused && cluster != "" {
		there := *unusable
		there.Message = "in the cluster " + cluster + ", " + unusable.Message
		unusable = &there
	}
	switch {
	case refused && resolver.IsPropagating(ref.Group):
		return source.Kind{}, unusableKind(unusable, propagationInterval, true)
	case refused:
		return source.Kind{}, unusableKind(unusable, p.Requeue, false)
	case err != nil:
		return source.Kind{}, undiscovered(err)
	}
	return kind, nil
}

// nameOf returns the name of the cluster behind the resolver; empty: it is the one of the rules.
func (p *Planner[O]) nameOf(resolver *source.Resolver, ref v1.SourceRef) string {
	if resolver == p.elsewhere {
		return ref.Cluster
	}
	return p.Kind.Cluster
}

// ResolveCopyKind finds the kind of the rule's copies, whose source is of that kind.
func (p *Planner[O]) ResolveCopyKind(ctx context.Context, rule O, kind source.Kind) (source.Kind, error) {
	spec := p.Spec(rule)
	if spec.CopyKind == "" && p.elsewhere == nil {
		return kind, nil
	}
	if spec.CopyKind == "" {
		return p.resolveIn(ctx, p.Resolver, spec.Source)
	}
	copies, err := p.Resolver.ResolveKind(ctx, spec.KindOfCopies())
	if unusable, refused := errors.AsType[*source.KindError](err); refused {
		return source.Kind{}, unusableKind(unusable, p.Requeue, false)
	}
	if err != nil {
		return source.Kind{}, undiscovered(err)
	}
	return copies, nil
}
