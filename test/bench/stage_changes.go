package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// measureChanges changes one copy or one namespace at a time, among those of the middle fan-out.
func (s *scene) measureChanges(ctx context.Context) error {
	size := s.fanOut[1]
	name := sourceOf(size).Name
	place := func(i int) types.NamespacedName { return types.NamespacedName{Namespace: guest(i), Name: name} }
	label := func(i int, value any) error {
		return s.api.edit(ctx, namespaces, types.NamespacedName{Name: guest(i)}, "labels", member(size), value)
	}
	namespace := func(i int) func(sighting) bool {
		return func(seen sighting) bool { return seen.resource == namespaces && seen.Name == guest(i) }
	}
	copied := func(i int, change watch.EventType) func(sighting) bool {
		return func(seen sighting) bool {
			return seen.resource == configMaps && seen.place() == place(i) && seen.change == change
		}
	}
	outsider := s.fanOut[len(s.fanOut)-1] // namespaces from here on are nobody's
	for _, row := range []struct {
		name    string
		change  func(i int) error
		cause   func(i int) func(sighting) bool
		outcome func(i int) func(sighting) bool
	}{
		{
			"heal",
			func(i int) error { return s.api.delete(ctx, configMaps, place(i)) },
			func(i int) func(sighting) bool { return copied(i, watch.Deleted) },
			func(i int) func(sighting) bool { return copied(i, watch.Added) },
		},
		{
			"gained",
			func(i int) error { return label(outsider+i, "") },
			func(i int) func(sighting) bool { return namespace(outsider + i) },
			func(i int) func(sighting) bool { return copied(outsider+i, watch.Added) },
		},
		{
			"lost",
			func(i int) error { return label(outsider+i, nil) },
			func(i int) func(sighting) bool { return namespace(outsider + i) },
			func(i int) func(sighting) bool { return copied(outsider+i, watch.Deleted) },
		},
	} {
		err := s.measureSingle(ctx, row.name, func(i int) (float64, error) {
			return s.reaction(ctx, row.cause(i), row.outcome(i), func() error { return row.change(i) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// measureSingle makes one change after the other. The requests of the first are told apart: later ones repeat an event
// that has been told, which costs less.
func (s *scene) measureSingle(ctx context.Context, row string, change func(i int) (float64, error)) error {
	var took []float64
	one := func(i int) error {
		latency, err := change(i)
		took = append(took, latency)
		return err
	}
	first, err := s.during(ctx, func() error { return one(0) })
	if err != nil {
		return fmt.Errorf("%s: %w", row, err)
	}
	others, err := s.during(ctx, func() error {
		for i := 1; i < s.changes; i++ {
			if err := one(i); err != nil {
				return fmt.Errorf("%s, change %d: %w", row, i, err)
			}
		}
		return nil
	})
	if err != nil || !s.wanted(row) {
		return err
	}
	s.results.put(row+".p50", percentile(took, 50))
	s.results.put(row+".max", percentile(took, 100))
	s.results.requests(row+".first", first, len(first.requests), 1)
	s.results.requests(row+".requests", others, len(others.requests), max(1, s.changes-1))
	s.results.put(row+".cpu", milliseconds(others.cpu)/float64(max(1, s.changes-1)))
	return nil
}

// reaction makes a change and returns, in milliseconds, what passed between the sightings of the change and of its
// outcome.
func (s *scene) reaction(ctx context.Context, cause, outcome func(sighting) bool, change func() error) (float64, error) {
	var began, ended bool
	took, err := s.timed(ctx, 2, func(seen sighting) bool {
		if !began && cause(seen) {
			began = true
			return true
		}
		if !ended && outcome(seen) {
			ended = true
			return true
		}
		return false
	}, change)
	return milliseconds(took.last - took.first), err
}
