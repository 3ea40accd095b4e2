package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	v1 "projection.sh/operator/api/v1"
)

// home is where sources are; copies are in the other namespaces of the bench.
const home = "bench-home"

func guest(i int) string { return fmt.Sprintf("bench-%04d", i) }

func isGuest(namespace string) bool {
	return strings.HasPrefix(namespace, "bench-") && namespace != home
}

func item(i int) types.NamespacedName {
	return types.NamespacedName{Namespace: home, Name: fmt.Sprintf("item-%04d", i)}
}

// rules has a rule with one source and one copy for each pair of a kind and a namespace.
func (b *bench) rules(ctx context.Context) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.both(ctx, kinds, func(s *scene) error {
		if err := s.furnishRules(ctx); err != nil {
			return err
		}
		if err := s.start(ctx); err != nil {
			return err
		}
		if err := s.measureCreate(ctx); err != nil {
			return err
		}
		rows := []measurement{{"edit", s.measureEdit}, {"burst", s.measureBurst}}
		if s.who == theManager { // the limit is to do nothing
			rows = append(rows, measurement{"status", s.measureStatus}, measurement{"idle", s.measureIdle})
		}
		return s.measureRows(ctx, rows...)
	})
}

func (s *scene) furnishRules(ctx context.Context) error {
	if err := s.api.createNamespace(ctx, home, nil); err != nil {
		return err
	}
	if err := each(s.guests, func(i int) error { return s.api.createNamespace(ctx, guest(i), nil) }); err != nil {
		return err
	}
	return s.eachRule(func(k kind, i int) error {
		return s.api.create(ctx, k.GroupVersionResource, k.source(item(i).Name))
	})
}

// eachRule calls the function with every pair of a kind and the number of a namespace.
func (s *scene) eachRule(do func(k kind, i int) error) error {
	return each(s.ruleCount(), func(i int) error { return do(s.kinds[i%len(s.kinds)], i/len(s.kinds)) })
}

func (s *scene) projection(k kind, i int) *unstructured.Unstructured {
	return k.rule(v1.KindProjection, guest(i), strings.ToLower(k.Kind.Kind), item(i), map[string]any{})
}

// measureCreate creates all rules at once.
func (s *scene) measureCreate(ctx context.Context) error {
	created := func(seen sighting) bool { return seen.change == watch.Added && isGuest(seen.Namespace) }
	took, done, err := s.timedWork(ctx, s.ruleCount(), created, func() error {
		return s.eachRule(func(k kind, i int) error { return s.rule(ctx, s.projection(k, i)) })
	})
	if err != nil || !s.wanted("create") {
		return err
	}
	s.results.put("create.last", took.last.Seconds())
	s.results.put("create.cpu", done.cpu.Seconds())
	s.results.put("create.all", took.cpu.Seconds())
	progress := done.progress(s.ruleCount())
	s.results.requests("create.requests", done, done.objects()-progress, s.ruleCount())
	s.results.requests("create.progress", done, progress, 1)
	s.results.requests("create.opening", done, len(done.requests)-done.objects(), 1)
	s.results.requests("create.watches", done, done.count("watch"), 1)
	if s.who == theManager {
		return s.putMemory("create.")(ctx)
	}
	return nil
}

// measureEdit edits one source that has one copy, again and again.
func (s *scene) measureEdit(ctx context.Context) error {
	source, copied := item(0), types.NamespacedName{Namespace: guest(0), Name: item(0).Name}
	var took []float64
	one := func(text string) error {
		latency, err := s.follow(ctx, configMaps, source, copied, text)
		took = append(took, latency)
		return err
	}
	first, err := s.during(ctx, func() error { return one("edit-first") })
	if err != nil {
		return err
	}
	added, err := s.during(ctx, func() error {
		return s.api.edit(ctx, configMaps, source, "annotations", "bench.example/added", "")
	})
	if err != nil {
		return err
	}
	took = nil
	all, err := s.during(ctx, func() error {
		for i := range s.edits {
			if err := one(fmt.Sprintf("edit-%d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.results.put("edit.p50", percentile(took, 50))
	s.results.put("edit.p99", percentile(took, 99))
	s.results.put("edit.cpu", milliseconds(all.cpu)/float64(s.edits))
	s.results.requests("edit.first", first, len(first.requests), 1)
	s.results.requests("edit.added", added, len(added.requests), 1)
	s.results.requests("edit.requests", all, len(all.requests), s.edits)
	return nil
}

// follow edits a source and returns, in milliseconds, how long after the edit its copy had it. Both were seen in the one
// watch on their kind.
func (s *scene) follow(ctx context.Context, resource schema.GroupVersionResource, source, copied types.NamespacedName, text string) (float64, error) {
	took, err := s.timed(ctx, 2, func(seen sighting) bool {
		return seen.resource == resource && seen.shows(text) && (seen.place() == source || seen.place() == copied)
	}, func() error { return s.edit(ctx, resource, source, text) })
	return milliseconds(took.last - took.first), err
}

// measureBurst edits all sources at once.
func (s *scene) measureBurst(ctx context.Context) error {
	for round := range s.rounds {
		text := fmt.Sprintf("burst-%d", round)
		edited := func(seen sighting) bool { return isGuest(seen.Namespace) && seen.shows(text) }
		took, done, err := s.timedWork(ctx, s.ruleCount(), edited, func() error {
			return s.eachRule(func(k kind, i int) error { return s.edit(ctx, k.GroupVersionResource, item(i), text) })
		})
		if err != nil {
			return err
		}
		s.results.put("burst.last", took.last.Seconds())
		s.results.put("burst.cpu", done.cpu.Seconds())
		s.results.put("burst.all", took.cpu.Seconds())
		s.results.requests("burst.requests", done, len(done.requests), s.ruleCount())
	}
	return nil
}
