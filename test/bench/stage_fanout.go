package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/bench/bare"
)

// fanOuts has one rule for each size, with one source and as many namespaces.
func (b *bench) fanOuts(ctx context.Context) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.both(ctx, kinds[:1], func(s *scene) error {
		if err := s.furnishFanOuts(ctx); err != nil {
			return err
		}
		if err := s.start(ctx); err != nil {
			return err
		}
		for _, size := range s.fanOut {
			if err := s.measureFanOut(ctx, size); err != nil {
				return err
			}
		}
		if !s.wanted("heal", "gained", "lost") {
			return nil
		}
		if s.who == theLimit {
			if err := s.runner.command(ctx, bare.Heal); err != nil {
				return err
			}
		}
		return s.measureChanges(ctx)
	})
}

// member is the label of the namespaces that a rule of that size selects.
func member(size int) string { return fmt.Sprintf("bench.example/one-of-%d", size) }

func sourceOf(size int) types.NamespacedName {
	return types.NamespacedName{Namespace: home, Name: fmt.Sprintf("for-%d", size)}
}

func (s *scene) furnishFanOuts(ctx context.Context) error {
	if err := s.api.createNamespace(ctx, home, nil); err != nil {
		return err
	}
	for _, size := range s.fanOut {
		if err := s.api.create(ctx, configMaps, s.kinds[0].source(sourceOf(size).Name)); err != nil {
			return err
		}
	}
	return each(s.fanOut[len(s.fanOut)-1]+s.changes, func(i int) error {
		labels := map[string]string{}
		for _, size := range s.fanOut {
			if i < size {
				labels[member(size)] = ""
			}
		}
		return s.api.createNamespace(ctx, guest(i), labels)
	})
}

// measureFanOut creates a rule, and then edits its source.
func (s *scene) measureFanOut(ctx context.Context, size int) error {
	source, row := sourceOf(size), fmt.Sprintf("fanout.%d.", size)
	destination := map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{member(size): ""}}}
	copied := func(seen sighting) bool { return seen.Name == source.Name && isGuest(seen.Namespace) }
	created := func(seen sighting) bool { return seen.change == watch.Added && copied(seen) }
	took, done, err := s.timedWork(ctx, size, created, func() error {
		return s.rule(ctx, s.kinds[0].rule(v1.KindClusterProjection, "", source.Name, source, destination))
	})
	if err != nil {
		return err
	}
	s.putFanOut(row+"create.", size, took, done)
	for round := range s.rounds {
		text := fmt.Sprintf("fan-%d", round)
		took, done, err := s.timedWork(ctx, size, func(seen sighting) bool { return copied(seen) && seen.shows(text) }, func() error {
			return s.edit(ctx, configMaps, source, text)
		})
		if err != nil {
			return err
		}
		s.putFanOut(row+"edit.", size, took, done)
	}
	return nil
}

func (s *scene) putFanOut(prefix string, size int, took interval, done work) {
	if !s.wanted("fanout") {
		return
	}
	s.results.put(prefix+"first", milliseconds(took.first))
	s.results.put(prefix+"last", took.last.Seconds())
	s.results.put(prefix+"each", milliseconds(took.last)/float64(size))
	s.results.put(prefix+"cpu", done.cpu.Seconds())
	s.results.put(prefix+"all", took.cpu.Seconds())
	s.results.requests(prefix+"requests", done, done.objects(), 1)
}
