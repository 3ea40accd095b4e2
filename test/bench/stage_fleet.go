package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/fleetsim/scenario"
	"projection.sh/operator/test/fleetsim/sim"
)

// fleetBatch is for how many clusters rules are created at a time.
const fleetBatch = 50

// fleet runs the manager as a hub with many clusters, which are simulated in this process.
func (b *bench) fleet(ctx context.Context) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.with(ctx, theManager, kinds[:1], func(s *scene) (err error) {
		f, err := s.openFleet(ctx, "fleet.pull.", b.profiles, func(world *scenario.World) copying {
			return scenario.Pull{World: world, Objects: s.fleetObjects}
		})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.stop(), f.world.Fleet.Close()) }()
		for _, step := range []struct {
			name string
			run  func(context.Context) error
		}{
			{"connect", f.connect}, {"copy", f.copyAll}, {"restart", f.restartAll}, {"edit", f.editAll}, {"idle", f.idleAll},
			{"one in ten is dead", f.editWithDead}, {"restart with one dead in ten", f.restartWithDead}, {"heal", f.heal},
		} {
			fmt.Fprintf(os.Stderr, "%s    fleet: %s\n", time.Now().Format(time.TimeOnly), step.name)
			if err := step.run(ctx); err != nil {
				return fmt.Errorf("%s: %w", step.name, err)
			}
		}
		return nil
	})
}

func (f *fleetScene) put(name string, value float64) { f.results.put(f.prefix+name, value) }

// connect starts the manager, which has no rule yet.
func (f *fleetScene) connect(ctx context.Context) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	last, err := f.settled(ctx, f.world.Fleet.Clusters, "create leases")
	if err != nil {
		return err
	}
	f.put("connected", last.Sub(f.runner.began).Seconds())
	served, forLeases := f.requests()
	f.put("connected.requests", float64(served+forLeases)/float64(f.fleetClusters))
	return f.putMemory(f.prefix + "connected.")(ctx)
}

// copyAll has all objects be copied.
func (f *fleetScene) copyAll(ctx context.Context) error {
	clusters := f.world.Fleet.Clusters
	began := time.Now()
	for from := 0; from < len(clusters); from += fleetBatch {
		batch := clusters[from:min(from+fleetBatch, len(clusters))]
		_, err := f.timed(ctx, len(batch)*f.fleetObjects, isCopied, func() error {
			return each(len(batch), func(i int) error { return f.copying.Project(ctx, batch[i]) })
		})
		if err != nil {
			return err
		}
	}
	f.put("copied", time.Since(began).Seconds())
	if _, err := f.settled(ctx, clusters, "watch configmaps"); err != nil {
		return err
	}
	if err := f.profile(ctx, "loaded"); err != nil {
		return err
	}
	return f.putMemory(f.prefix + "loaded.")(ctx)
}

// isCopied reports whether a sighting is of a copy that is new.
func isCopied(seen sighting) bool {
	return seen.change == watch.Added && seen.Labels[v1.LabelOwnedByClusterProjectionUID] != ""
}

// isEdited reports whether a sighting is of a copy that has the text.
func isEdited(text string) func(sighting) bool {
	return func(seen sighting) bool {
		return seen.change != watch.Deleted && seen.Labels[v1.LabelOwnedByClusterProjectionUID] != "" && seen.Annotations[scenario.Edited] == text
	}
}

// restartAll starts the manager anew, when all is in sync.
func (f *fleetScene) restartAll(ctx context.Context) error {
	if err := f.startAgain(ctx, "restart", f.world.Fleet.Clusters); err != nil {
		return err
	}
	f.put("connections", float64(f.world.Fleet.Connections()))
	if err := f.profile(ctx, "restarted"); err != nil {
		return err
	}
	return f.putMemory(f.prefix + "restart.")(ctx)
}

// startAgain takes the time until the manager has nothing more to do in the clusters, and counts what it did.
func (f *fleetScene) startAgain(ctx context.Context, name string, alive []*sim.Cluster) error {
	if err := f.stop(); err != nil {
		return err
	}
	f.forgetRequests()
	f.observer.forget()
	mark, err := f.cluster.mark()
	if err != nil {
		return err
	}
	if f.runner, err = startManager(ctx, f.manager, f.kubeConfig, f.log, f.flags...); err != nil {
		return err
	}
	last, err := f.settled(ctx, alive, "watch configmaps")
	if err != nil {
		return err
	}
	used, err := f.runner.used()
	if err != nil {
		return err
	}
	requests, err := f.requestsSince(mark)
	if err != nil {
		return err
	}
	served, forLeases := f.requests()
	f.put(name+".ready", last.Sub(f.runner.began).Seconds())
	f.put(name+".cpu", used.cpu.Seconds())
	f.put(name+".requests", float64(served+forLeases)/float64(len(alive)))
	if f.cluster.plane != nil {
		here := work{counted: true, requests: requests}
		f.put(name+".writes", float64(here.countWhere(writesCopies)))
		f.put(name+".hub", float64(len(requests)))
	}
	return nil
}

// editAll changes one object in each cluster.
func (f *fleetScene) editAll(ctx context.Context) error {
	return f.edit(ctx, "edit", f.world.Fleet.Clusters)
}

func (f *fleetScene) edit(ctx context.Context, name string, clusters []*sim.Cluster) error {
	f.forgetRequests()
	took, done, err := f.timedWork(ctx, len(clusters), isEdited(name), func() error { return f.copying.Edit(ctx, clusters, name) })
	if err != nil {
		return err
	}
	served, _ := f.requests()
	f.put(name+".first", milliseconds(took.first))
	f.put(name+".last", took.last.Seconds())
	f.put(name+".cpu", done.cpu.Seconds())
	f.put(name+".requests", float64(served)/float64(len(clusters)))
	f.results.requests(f.prefix+name+".hub", done, len(done.requests), len(clusters))
	return nil
}

// idleAll changes nothing for a minute.
func (f *fleetScene) idleAll(ctx context.Context) error {
	f.forgetRequests()
	done, err := f.during(ctx, func() error { return wait(ctx, f.idle) })
	if err != nil {
		return err
	}
	served, forLeases := f.requests()
	f.put("idle.requests", float64(served))
	f.put("idle.leases", float64(forLeases)/float64(f.fleetClusters))
	f.put("idle.cpu", done.cpu.Seconds())
	f.results.requests(f.prefix+"idle.hub", done, len(done.requests), 1)
	return nil
}

// editWithDead has each tenth cluster not answer, or refuse connections, and changes one object in each of the others at once.
func (f *fleetScene) editWithDead(ctx context.Context) error {
	alive, dead := f.clusters()
	for i, cluster := range dead {
		if i%2 == 0 {
			cluster.Hang()
		} else {
			cluster.Refuse()
		}
	}
	return f.edit(ctx, "dead", alive)
}

// restartWithDead starts the manager while each tenth cluster is dead.
func (f *fleetScene) restartWithDead(ctx context.Context) error {
	alive, _ := f.clusters()
	return f.startAgain(ctx, "deadrestart", alive)
}

// heal changes objects in the clusters that are dead, and has them live again.
func (f *fleetScene) heal(ctx context.Context) error {
	_, dead := f.clusters()
	took, err := f.timed(ctx, len(dead), isEdited("healed"), func() error {
		if err := f.copying.Edit(ctx, dead, "healed"); err != nil {
			return err
		}
		for _, cluster := range dead {
			cluster.Heal()
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.put("healed.last", took.last.Seconds())
	return f.putMemory(f.prefix + "healed.")(ctx)
}
