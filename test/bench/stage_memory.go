package main

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	v1 "projection.sh/operator/api/v1"
)

const mebibyte = 1 << 20

// putMemory notes what the manager holds.
func (s *scene) putMemory(prefix string) func(context.Context) error {
	return func(ctx context.Context) error {
		used, err := s.runner.used()
		if err != nil {
			return err
		}
		values, err := s.runner.measured(ctx)
		if err != nil {
			return err
		}
		s.results.put(prefix+"rss", used.rss)
		s.results.put(prefix+"heap", values[metricHeap]/mebibyte)
		s.results.put(prefix+"goroutines", values[metricGoroutines])
		return nil
	}
}

// putCopies compares a manager that holds many copies with one that holds a tenth of them.
func (s *scene) putCopies() {
	thousands := float64((s.restartRules-s.fewRules())*s.restartCopies) / 1000
	for _, what := range []string{"rss", "heap"} {
		few, _ := s.results.get("memory.few." + what)
		loaded, _ := s.results.get("memory.loaded." + what)
		restarted, _ := s.results.get("memory.restarted." + what)
		s.results.put("copies."+what, (max(loaded, restarted)-few)/thousands)
	}
}

// memories fills a cluster with objects that no rule names, of a kind that is watched.
func (b *bench) memories(ctx context.Context) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.with(ctx, theManager, kinds[:1], func(s *scene) error {
		if err := s.furnishMemory(ctx); err != nil {
			return err
		}
		if err := s.putMemory("unrelated.0.")(ctx); err != nil {
			return err
		}
		there := 0
		for _, size := range s.unrelated {
			if err := s.fill(ctx, there, size); err != nil {
				return err
			}
			there = size
			if err := s.putMemory(fmt.Sprintf("unrelated.%d.", size))(ctx); err != nil {
				return err
			}
		}
		if err := s.stop(); err != nil {
			return err
		}
		if err := s.start(ctx); err != nil {
			return err
		}
		return s.putMemory(fmt.Sprintf("unrelated.%d.restarted.", there))(ctx)
	})
}

// furnishMemory starts the manager anew with one rule in step, so that what follows is compared with a fresh process.
func (s *scene) furnishMemory(ctx context.Context) error {
	for _, namespace := range []string{home, guest(0)} {
		if err := s.api.createNamespace(ctx, namespace, nil); err != nil {
			return err
		}
	}
	if err := s.api.create(ctx, configMaps, s.kinds[0].source(item(0).Name)); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	created := func(seen sighting) bool { return seen.change == watch.Added && isGuest(seen.Namespace) }
	_, _, err := s.timedWork(ctx, 1, created, func() error {
		return s.rule(ctx, s.kinds[0].rule(v1.KindProjection, guest(0), "configmap", item(0), map[string]any{}))
	})
	if err != nil {
		return err
	}
	if err := s.stop(); err != nil {
		return err
	}
	return s.start(ctx)
}

// fill creates objects of 4 KiB until there are so many.
func (s *scene) fill(ctx context.Context, there, wanted int) error {
	value := strings.Repeat("four kibibytes. ", 256)
	_, err := s.during(ctx, func() error {
		return each(wanted-there, func(i int) error {
			object := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap",
				"metadata": map[string]any{"namespace": home, "name": fmt.Sprintf("unrelated-%d", there+i)},
				"data":     map[string]any{"value": value},
			}}
			return s.api.create(ctx, configMaps, object)
		})
	})
	s.observer.forget()
	return err
}
