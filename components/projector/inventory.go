package projector

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/source"
)

// copySet is where the copies of one kind are dealt with.
type copySet struct {
	destination.CopySet
	kind source.Kind
	// keepOld tells that copies of an earlier kind or name stay until their successors are in place.
	keepOld bool
}

// loadInventory finds out which copies there are: of the source's kind, which comes first, and of those that the rule named
// earlier. What cannot be known of an earlier kind does not keep the source's from being written.
func (s *scope[O]) loadInventory(ctx context.Context) error {
	current, err := s.openCopySets(ctx, []source.Kind{s.kind})
	if err != nil {
		return retryable(v1.ConditionDestinationWritten, v1.ReasonDestinationFetchFailed, err)
	}
	s.sets = current
	earlier := slices.DeleteFunc(recordedKinds(s.rule), func(kind schema.GroupKind) bool { return kind == s.kind.GroupKind() })
	if len(earlier) == 0 {
		return nil
	}
	kinds, hidden := s.deps.Resolver.ServedKinds(ctx, earlier)
	current, err = s.openCopySets(ctx, append([]source.Kind{s.kind}, kinds...))
	if err == nil {
		s.sets = current
	}
	if hidden != nil {
		hidden = s.explainKept(hidden, "take it off the annotation "+v1.AnnotationWrittenKinds)
	}
	s.inventoryErr = errors.Join(hidden, err)
	return nil
}

// explainKept adds to an error about a kind that is not served what became of the copies, and how people can give them up.
func (s *scope[O]) explainKept(err error, giveUp string) error {
	if _, notServed := errors.AsType[*source.HiddenObjectsError](err); notServed {
		return fmt.Errorf("%w; its copies are kept and the rule waits: serve the kind again, or %s to give them up", err, giveUp)
	}
	return err
}

// openCopySets returns the sets of the kinds when all of their copies are known.
func (s *scope[O]) openCopySets(ctx context.Context, kinds []source.Kind) ([]copySet, error) {
	resources := make([]schema.GroupVersionResource, len(kinds))
	for i, kind := range kinds {
		resources[i] = kind.GroupVersionResource()
	}
	caches, err := s.deps.Inventory.Watch(ctx, s.key, resources...)
	if err != nil {
		return nil, err
	}
	sets := make([]copySet, len(kinds))
	for i, kind := range kinds {
		sets[i] = copySet{kind: kind, CopySet: destination.CopySet{Owner: s.id, Rule: s.before, Resource: resources[i], Cache: caches[i]}}
	}
	return sets, nil
}
