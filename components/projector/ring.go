package projector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// ringLink is a place of a ring, and the rule that writes there.
type ringLink struct {
	at     ObjectRef
	writer PlaceWriter
}

// checkRing ends the reconcile if the source is a copy that other rules have made from the copy of this rule, and there is nothing but
// copies in that ring. Copies stay as they are: the rules whose source is gone delete theirs, and then those of the others follow.
//
// Example: rules copy n1/a to n2/a, n2/a to n3/a, and n3/a to n1/a. Somebody has made n1/a, so the third rule is in conflict with it.
// Then n1/a is deleted. If the third rule made n1/a from n3/a before n3/a is deleted, the copies would never end.
//
// What a rule merges must not come from its own copy at all: each write would add to the next.
func (s *scope[O]) checkRing(ctx context.Context) error {
	sources := s.all()
	for _, source := range sources {
		source.rememberNaming()
	}
	errs := make([]error, len(sources))
	var checks errgroup.Group
	checks.SetLimit(s.config.ReadConcurrency)
	for i, source := range sources {
		checks.Go(func() error {
			errs[i] = s.catchPanic(ctx, func() error { return source.checkRing(ctx) })
			return nil
		})
	}
	_ = checks.Wait() // none returns an error
	for i, source := range sources {
		if errs[i] != nil && !s.spec.Selects() {
			return errs[i]
		}
		if errs[i] != nil && source.failed == nil {
			source.failed = errs[i]
		}
	}
	return nil
}

func (s *sourceScope[O]) checkRing(ctx context.Context) error {
	if s.source == nil || s.spec.Source.IsRemote() || s.hub.WritersOf == nil || !isCopy(s.source) {
		return nil
	}
	ring, err := s.findRing(ctx)
	if err != nil || len(ring) == 0 {
		return s.ringUnknown(err)
	}
	because := "every object of the circle is a copy"
	if s.isMerge() {
		because = "what this rule merges must not come from its own copies"
	}
	by := ring[0].writer
	return &plan.Error{
		Condition: v1.ConditionSourceResolved,
		Problem: policy.Problem{
			Reason: v1.ReasonSourceNotProjectable,
			Message: fmt.Sprintf("rules copy in a circle: the %s %s writes %s from a copy of this rule, "+
				"and %s", by.Kind.Name, by.Ref(), s.kind.NameOf(s.spec.Source), because),
			Advice: "delete one of these rules, or create the object that they are to copy",
		},
		RequeueAfter: s.config.Requeue,
	}
}

func isCopy(object *unstructured.Unstructured) bool {
	_, one := owner.Projection.OwnerOf(object)
	_, other := owner.ClusterProjection.OwnerOf(object)
	return one || other
}

func (s *sourceScope[O]) ringUnknown(err error) error {
	if err == nil {
		return nil
	}
	return plan.Failed(v1.ConditionSourceResolved, policy.Problem{
		Reason: v1.ReasonSourceFetchFailed, Message: "it cannot be determined which rules write " + s.kind.NameOf(s.spec.Source),
	}, err)
}

// ringStep is a place on the way, and the rule that writes there.
type ringStep struct {
	at     ObjectRef
	writer watch.RuleKey
}

// findRing returns the places through which this rule's source comes from its own copy, beginning with the source; nil if it does not. A ring that an
// object refutes is not believed. Then there may be another one, which does not lead through that object.
//
// Example: two rules write the place of the source, and the copy there is that of the second one. The ring through the first one is refuted.
func (s *sourceScope[O]) findRing(ctx context.Context) ([]ringLink, error) {
	for refuted := map[ringStep]bool{}; ; {
		ring, err := s.followRing(ctx, s.sourceRef(), nil, maps.Clone(refuted))
		if err != nil || ring == nil {
			return nil, err
		}
		wrong, isRefuted, err := s.refuteRing(ctx, ring)
		if err != nil || !isRefuted {
			return ring, err
		}
		refuted[wrong] = true
	}
}

// followRing returns the first ring that leads from a place back to this rule, by what rules say, and where there is an object by what that says. Steps
// that were seen lead nowhere.
func (s *sourceScope[O]) followRing(ctx context.Context, at ObjectRef, path []ringLink, seen map[ringStep]bool) ([]ringLink, error) {
	writers, err := s.hub.WritersOf(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, writer := range writers {
		next, step := append(slices.Clone(path), ringLink{at, writer}), ringStep{at, writer.key()}
		switch {
		case step.writer == s.key && len(path) == 0: // the guard of the copy refuses to write onto the source
			continue
		case seen[step]:
			continue
		case step.writer == s.key:
			return next, nil
		}
		seen[step] = true
		sources, err := s.sourcesAt(ctx, at, writer)
		if err != nil {
			return nil, err
		}
		for _, source := range sources {
			if ring, err := s.followRing(ctx, source, next, seen); err != nil || ring != nil {
				return ring, err
			}
		}
	}
	return nil, nil
}

// sourcesAt returns what a rule copies to a place. If it selects the sources, the copy says it; if there is no copy, it can be each of them.
func (s *sourceScope[O]) sourcesAt(ctx context.Context, at ObjectRef, writer PlaceWriter) ([]ObjectRef, error) {
	if at.isAny() || !slices.ContainsFunc(writer.Sources, ObjectRef.isAny) {
		return writer.Sources, nil
	}
	object, err := s.objectAt(ctx, at)
	switch {
	case errors.Is(err, source.ErrNotFound):
		return writer.Sources, nil
	case err != nil:
		return nil, err
	case !writer.Owns(object):
		return nil, nil
	}
	if said, known := writer.saidSources(object); known {
		return said, nil
	}
	return writer.Sources, nil
}

// refuteRing returns the first step of the ring where there is an object that the rule which may write there has not made, and whether there is one. A
// place without an object refutes nothing. What a rule merges must not come from its own copies at all, so that only those objects count of which it is
// not sure that the rule wants a copy there.
func (s *sourceScope[O]) refuteRing(ctx context.Context, ring []ringLink) (wrong ringStep, isRefuted bool, err error) {
	for _, link := range ring {
		if link.at.isAny() || s.isMerge() && !link.writer.Named {
			continue
		}
		object, err := s.objectAt(ctx, link.at)
		if errors.Is(err, source.ErrNotFound) {
			continue
		}
		if err != nil || !link.writer.Owns(object) {
			return ringStep{link.at, link.writer.key()}, err == nil, err
		}
	}
	return ringStep{}, false, nil
}

// objectAt reads an object of a ring. It is of the kind of the source, unless a rule of the ring copies to another kind.
func (s *sourceScope[O]) objectAt(ctx context.Context, at ObjectRef) (*unstructured.Unstructured, error) {
	if at == s.sourceRef() {
		return s.source, nil
	}
	kind := s.kind
	if at.Kind != kind.GroupKind() {
		var err error
		if kind, err = s.local.member.Resolver.ResolveKind(ctx, at.Kind); err != nil {
			return nil, err
		}
	}
	read := s.onTheWay.get(at, func() Fetched {
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		object, err := s.local.member.Reader.ReadMetadata(limited, kind, v1.SourceRef{Namespace: at.Namespace, Name: at.Name})
		return Fetched{object: object, err: err}
	})
	return read.object, read.err
}

// sourceRef names the source by the kind that the API server serves.
func (s *sourceScope[O]) sourceRef() ObjectRef { return ObjectRef{s.kind.GroupKind(), s.sourceKey()} }
