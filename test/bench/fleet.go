package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/fleetsim/scenario"
	"projection.sh/operator/test/fleetsim/sim"
)

// copying is what is copied between the hub and simulated clusters.
type copying interface {
	// Furnish creates the sources and the namespaces.
	Furnish(ctx context.Context) error
	// Rules returns how many rules there are, and how many copies each has.
	Rules() (rules, copies int)
	// Project creates the rule of that number.
	Project(ctx context.Context, number int) error
	// Edit has one copy of each cluster get the text.
	Edit(ctx context.Context, text string) error
	// EditOne has one copy of the second cluster get the text, and may have one of the first cluster get it, too.
	EditOne(ctx context.Context, text string) error
}

// fleetScene is a scene with simulated clusters.
type fleetScene struct {
	*scene

	world    *scenario.World
	copying  copying
	prefix   string // of the results
	profiles string
	pprof    string // the address of the profiles
}

// openFleet starts the clusters, and declares them in the hub.
func (s *scene) openFleet(ctx context.Context, prefix, profiles string, of func(*scenario.World) copying) (*fleetScene, error) {
	clusters, err := sim.New(s.fleetClusters)
	if err != nil {
		return nil, err
	}
	f := &fleetScene{scene: s, prefix: prefix, profiles: profiles}
	if f.world, err = scenario.NewWorld(s.cluster.admin, clusters); err != nil {
		return nil, errors.Join(err, clusters.Close())
	}
	f.copying = of(f.world)
	for _, cluster := range clusters.Clusters {
		cluster.Observe(func(change watch.EventType, object metav1.Object) {
			if isCopy(object.GetLabels()) {
				s.observer.noteIn(cluster.Name, change, object)
			}
		})
	}
	if f.pprof, err = env.Address(); err != nil {
		return nil, errors.Join(err, clusters.Close())
	}
	s.flags = []string{"--remote-clusters", "--pprof-bind-address=" + f.pprof}
	for _, step := range []func() error{
		f.world.Home, func() error { return f.world.Declare(ctx) }, func() error { return f.copying.Furnish(ctx) },
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, clusters.Close())
		}
	}
	return f, nil
}

// clusters returns those that are alive if each tenth is dead, and those that are dead then.
func (f *fleetScene) clusters() (alive, dead []*sim.Cluster) {
	for i, cluster := range f.world.Fleet.Clusters {
		if i%10 == 0 {
			dead = append(dead, cluster)
		} else {
			alive = append(alive, cluster)
		}
	}
	return alive, dead
}

const (
	// fleetSilence is for how long clusters are asked for nothing, but for their leases, when the manager has nothing to do there.
	fleetSilence = 2 * time.Second
	// fleetTimeout is how long that may take.
	fleetTimeout = 20 * time.Minute
)

// settled waits until the manager has nothing to do in the clusters, each of which it watches, and returns when it made the last request.
func (f *fleetScene) settled(ctx context.Context, clusters []*sim.Cluster, verb string) (time.Time, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, fleetTimeout, errTooLong)
	defer cancel()
	for {
		var last time.Time
		missing := slices.ContainsFunc(clusters, func(cluster *sim.Cluster) bool {
			if worked := cluster.Worked(); worked.After(last) {
				last = worked
			}
			return cluster.Requests()[verb] == 0
		})
		if !missing && time.Since(last) > fleetSilence {
			return last, nil
		}
		select {
		case <-ctx.Done():
			return last, fmt.Errorf("the clusters are not settled: %w", context.Cause(ctx))
		case <-f.runner.Ended():
			return last, errEnded
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// requests returns how many requests the clusters have served, but for those for leases.
func (f *fleetScene) requests() (served, forLeases int) {
	for what, count := range f.world.Fleet.Requests() {
		if strings.HasSuffix(what, " leases") {
			forLeases += count
		} else {
			served += count
		}
	}
	return served, forLeases
}

func (f *fleetScene) forgetRequests() {
	for _, cluster := range f.world.Fleet.Clusters {
		cluster.ForgetRequests()
	}
}

// profile saves profiles of the manager, if they are wanted.
func (f *fleetScene) profile(ctx context.Context, name string) error {
	if f.profiles == "" {
		return nil
	}
	if err := os.MkdirAll(f.profiles, 0o755); err != nil {
		return err
	}
	for _, of := range []string{"heap", "goroutine", "allocs"} {
		if err := f.save(ctx, of, filepath.Join(f.profiles, name+"."+of+".pprof")); err != nil {
			return fmt.Errorf("take a profile: %w", err)
		}
	}
	return nil
}

func (f *fleetScene) save(ctx context.Context, of, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+f.pprof+"/debug/pprof/"+of, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
