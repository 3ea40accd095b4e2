package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/clientcmd"

	v1 "projection.sh/operator/api/v1"
)

// restarts has many rules with ten copies each, which are in step when the manager is started anew.
func (b *bench) restarts(ctx context.Context) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.with(ctx, theManager, kinds[:1], func(s *scene) error {
		if err := s.start(ctx); err != nil {
			return err
		}
		for _, step := range []func(context.Context) error{
			s.putMemory("memory.start."),
			s.furnishRestart,
			s.createRules(0, s.fewRules()),
			s.putMemory("memory.few."),
			s.createRules(s.fewRules(), s.restartRules),
			s.putMemory("memory.loaded."),
			func(context.Context) error { return s.stop() },
			s.restart,
			s.putMemory("memory.restarted."),
		} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		s.putCopies()
		return nil
	})
}

// fewRules are enough for the manager to have everything at hand that it needs for many.
func (s sizes) fewRules() int { return max(1, s.restartRules/10) }

// restartGuests are the namespaces that the copies are spread over.
func (s sizes) restartGuests() int { return 10 * s.restartCopies }

func (s *scene) furnishRestart(ctx context.Context) error {
	if err := s.api.createNamespace(ctx, home, nil); err != nil {
		return err
	}
	if err := each(s.restartGuests(), func(i int) error { return s.api.createNamespace(ctx, guest(i), nil) }); err != nil {
		return err
	}
	return each(s.restartRules, func(i int) error {
		return s.api.create(ctx, configMaps, s.kinds[0].source(item(i).Name))
	})
}

// createRules creates those from the first number up to the second, and waits for their copies.
func (s *scene) createRules(from, to int) func(context.Context) error {
	return func(ctx context.Context) error {
		created := func(seen sighting) bool { return seen.change == watch.Added && isGuest(seen.Namespace) }
		_, _, err := s.timedWork(ctx, (to-from)*s.restartCopies, created, func() error {
			return each(to-from, func(i int) error {
				source := item(from + i)
				names := make([]any, s.restartCopies)
				for n := range names {
					names[n] = guest((i*s.restartCopies + n) % s.restartGuests())
				}
				return s.rule(ctx, s.kinds[0].rule(v1.KindClusterProjection, "", source.Name, source, map[string]any{"namespaces": names}))
			})
		})
		return err
	}
}

// restart starts the manager and takes the time until it has looked at every rule.
func (s *scene) restart(ctx context.Context) error {
	if err := s.putLimitOfRestart(ctx); err != nil {
		return err
	}
	var ready time.Duration
	done, err := s.during(ctx, func() (err error) {
		if s.runner, err = startManager(ctx, s.manager, s.kubeConfig, s.log, s.flags...); err != nil {
			return err
		}
		err = s.runner.waitUntil(ctx, func() bool {
			values, err := s.runner.measured(ctx)
			return err == nil && int(values[metricPasses]) >= s.restartRules
		})
		ready = time.Since(s.runner.began)
		return err
	})
	if err != nil {
		return fmt.Errorf("start the manager again: %w", err)
	}
	if !s.wanted("restart") {
		return nil
	}
	s.results.put("restart.ready", ready.Seconds())
	s.results.put("restart.cpu", done.cpu.Seconds())
	s.results.requests("restart.requests", done, len(done.requests), 1)
	s.results.requests("restart.writes", done, done.writes(), 1)
	return nil
}

// putLimitOfRestart takes the time that it takes to list the rules and the metadata of the copies, and to read every
// source.
func (s *scene) putLimitOfRestart(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeConfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	api, err := newAPI(config)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := api.dynamic.Resource(clusterProjections).List(ctx, metav1.ListOptions{}); err != nil {
		return err
	}
	if err := listAll(ctx, api.metadata); err != nil {
		return err
	}
	var reads errgroup.Group
	reads.SetLimit(concurrency)
	for i := range s.restartRules {
		reads.Go(func() error {
			_, err := api.dynamic.Resource(configMaps).Namespace(home).Get(ctx, item(i).Name, metav1.GetOptions{ResourceVersion: "0"})
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return err
	}
	if s.wanted("restart") {
		s.limits.put("restart.ready", time.Since(began).Seconds())
		s.limits.put("restart.requests", float64(s.restartRules+2))
	}
	return nil
}

func listAll(ctx context.Context, client metadata.Interface) error {
	_, err := client.Resource(configMaps).List(ctx, metav1.ListOptions{LabelSelector: v1.LabelOwnedByClusterProjectionUID, ResourceVersion: "0"})
	return err
}
