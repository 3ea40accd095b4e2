package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// scene is a cluster with one copier.
type scene struct {
	sizes
	who     copier
	wanted  func(rows ...string) bool
	manager string   // the program
	flags   []string // of it, besides those that every stage has
	results results
	limits  results // what the manager is compared with, where no bare client runs

	cluster    *cluster
	api        *api
	observer   *observer
	kinds      []kind // that the copier follows
	kubeConfig string
	log        *os.File
	runner     *runner // nil: it does not run
}

// open opens a cluster for the copier, and watches namespaces and the kinds.
func (b *bench) open(ctx context.Context, who copier, kinds []kind) (_ *scene, err error) {
	s := &scene{sizes: b.sizes, who: who, wanted: b.wanted, manager: b.manager, results: b.report.of(who), limits: b.report.of(theLimit), kinds: kinds}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	if s.log, err = os.OpenFile(filepath.Join(b.logs, string(who)+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	if s.cluster, err = openCluster(ctx, b.kubeConfig); err != nil {
		return nil, err
	}
	if s.api, err = newAPI(s.cluster.admin); err != nil {
		return nil, err
	}
	if s.kubeConfig, err = s.cluster.kubeConfigFor(ctx, who.user()); err != nil {
		return nil, err
	}
	watched := []schema.GroupVersionResource{namespaces}
	for _, k := range kinds {
		watched = append(watched, k.GroupVersionResource)
	}
	s.observer, err = observe(ctx, s.api.metadata, watched...)
	return s, err
}

// start starts the copier and waits until it has nothing to do.
func (s *scene) start(ctx context.Context) (err error) {
	if s.who == theManager {
		s.runner, err = startManager(ctx, s.manager, s.kubeConfig, s.log, s.flags...)
	} else {
		s.runner, err = startLimit(ctx, s.kubeConfig, s.kinds, s.log)
	}
	if err != nil {
		return err
	}
	_, err = s.during(ctx, func() error { return nil })
	return err
}

func (s *scene) stop() error {
	runner := s.runner
	s.runner = nil
	if runner == nil {
		return nil
	}
	return runner.Stop()
}

// close ends the copier and the cluster. A lent one is given back without what was created in it.
func (s *scene) close(ctx context.Context) error {
	var errs []error
	if s.cluster != nil && s.cluster.plane == nil && s.api != nil {
		errs = append(errs, s.sweep(context.WithoutCancel(ctx)))
	}
	errs = append(errs, s.stop())
	if s.observer != nil {
		s.observer.close() // an API server that ends waits for its watches
	}
	if s.cluster != nil {
		errs = append(errs, s.cluster.close())
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	return errors.Join(errs...)
}

// rule creates a rule.
func (s *scene) rule(ctx context.Context, rule *unstructured.Unstructured) error {
	rule.SetLabels(map[string]string{ownMark: ""})
	if rule.GetNamespace() != "" {
		return s.api.create(ctx, projections, rule)
	}
	return s.api.create(ctx, clusterProjections, rule)
}

// edit marks an object with a text, which travels to its copies.
func (s *scene) edit(ctx context.Context, resource schema.GroupVersionResource, at types.NamespacedName, text string) error {
	return s.api.edit(ctx, resource, at, "annotations", editMark, text)
}

// Marks of what the bench creates and edits.
const (
	ownMark  = "bench.example/made"
	editMark = "bench.example/edit"
)

// shows tells whether a sighting is of an object that bears an edit.
func (s sighting) shows(text string) bool {
	return s.change != watch.Deleted && s.Annotations[editMark] == text
}

// interval is what passed until the first and the last of the expected changes.
type interval struct {
	first, last time.Duration
	cpu         time.Duration // until the last, of the copier, the API server, etcd and the bench together
}

// timed makes a change and returns when its n effects were seen, counted from before the change.
func (s *scene) timed(ctx context.Context, n int, effect func(sighting) bool, change func() error) (interval, error) {
	s.observer.forget()
	before, err := machineNow()
	if err != nil {
		return interval{}, err
	}
	began := time.Now()
	changed := make(chan error, 1)
	go func() { changed <- change() }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.runner.Ended():
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	times, err := s.observer.await(ctx, n, effect)
	after, failure := machineNow()
	if err := errors.Join(err, failure, <-changed); err != nil {
		return interval{}, fmt.Errorf("%s: %w", s.who, err)
	}
	return interval{times[0].Sub(began), times[n-1].Sub(began), after.ours - before.ours}, nil
}

// timedWork is timed, and also tells what the copier did.
func (s *scene) timedWork(ctx context.Context, n int, effect func(sighting) bool, change func() error) (took interval, done work, err error) {
	done, err = s.during(ctx, func() (err error) {
		took, err = s.timed(ctx, n, effect, change)
		return err
	})
	return took, done, err
}
