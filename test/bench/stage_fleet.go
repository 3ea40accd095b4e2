package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/fleetsim/scenario"
	"projection.sh/operator/test/fleetsim/sim"
)

// fleetBatch is how many copies have rules created for them at a time.
const fleetBatch = 5000

// pulls runs the manager as a hub into which objects of many clusters are copied. The clusters are simulated in this process.
func (b *bench) pulls(ctx context.Context) error {
	return b.fleet(ctx, "fleet.pull.", func(world *scenario.World) copying { return scenario.Pull{World: world, Objects: b.fleetObjects} })
}

// pushes runs the manager as a hub whose objects are copied into many clusters.
func (b *bench) pushes(ctx context.Context) error {
	return b.fleet(ctx, "fleet.push.", func(world *scenario.World) copying { return scenario.Push{World: world, Objects: b.fleetObjects} })
}

func (b *bench) fleet(ctx context.Context, prefix string, of func(*scenario.World) copying) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.with(ctx, theManager, kinds[:1], func(s *scene) (err error) {
		f, err := s.openFleet(ctx, prefix, b.profiles, of)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.stop(), f.world.Fleet.Close()) }()
		for _, step := range []struct {
			name string
			run  func(context.Context) error
		}{
			{"connect", f.connect}, {"copy", f.copyAll}, {"restart", f.restartAll}, {"edit", f.editAll}, {"idle", f.idleAll},
			{"edits in one cluster", f.editOne}, {"one in ten is dead", f.editWithDead}, {"edits in one cluster, with one dead in ten", f.editOneWithDead},
			{"restart with one dead in ten", f.restartWithDead}, {"heal", f.heal},
		} {
			fmt.Fprintf(os.Stderr, "%s    %s%s\n", time.Now().Format(time.TimeOnly), prefix, step.name)
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
	rules, copies := f.copying.Rules()
	batch := max(1, fleetBatch/copies)
	began := time.Now()
	for from := 0; from < rules; from += batch {
		count := min(batch, rules-from)
		if _, err := f.timed(ctx, count*copies, isCopied, func() error {
			return each(count, func(i int) error { return f.copying.Project(ctx, from+i) })
		}); err != nil {
			return err
		}
	}
	f.put("copied", time.Since(began).Seconds())
	if _, err := f.settled(ctx, f.world.Fleet.Clusters, "watch configmaps"); err != nil {
		return err
	}
	if err := f.profile(ctx, "loaded"); err != nil {
		return err
	}
	return f.putMemory(f.prefix + "loaded.")(ctx)
}

// isCopied reports whether a sighting is of a copy that is new.
func isCopied(seen sighting) bool { return seen.change == watch.Added && isCopy(seen.Labels) }

// isEdited reports whether a sighting is of a copy that has the text.
func isEdited(text string) func(sighting) bool {
	return func(seen sighting) bool {
		return seen.change != watch.Deleted && isCopy(seen.Labels) && seen.Annotations[scenario.Edited] == text
	}
}

func isCopy(labels map[string]string) bool {
	for label := range labels {
		if label == v1.LabelOwnedByClusterProjectionUID || strings.HasPrefix(label, v1.LabelOwnedByHubPrefix) {
			return true
		}
	}
	return false
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
		f.put(name+".writes", float64(here.countWhere(writesCopies)+f.world.Fleet.Requests()["patch configmaps"]))
		f.put(name+".hub", float64(len(requests)))
	}
	return nil
}

// editAll changes one object in each cluster.
func (f *fleetScene) editAll(ctx context.Context) error {
	return f.edit(ctx, "edit", f.world.Fleet.Clusters)
}

// edit changes one object for each cluster, and waits for the copies of those clusters.
func (f *fleetScene) edit(ctx context.Context, name string, clusters []*sim.Cluster) error {
	f.forgetRequests()
	took, done, err := f.timedWork(ctx, len(clusters), isEdited(name), func() error { return f.copying.Edit(ctx, name) })
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

// statusTime is how much later, for each of its clusters, a rule may say that they are in sync.
const statusTime = 10 * time.Millisecond

// idleAll changes nothing for a minute, when the last status is written.
func (f *fleetScene) idleAll(ctx context.Context) error {
	if err := wait(ctx, fleetSilence+time.Duration(f.fleetClusters)*statusTime); err != nil {
		return err
	}
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

// editWithDead has each tenth cluster not answer, or refuse connections, and waits for the copies of the others.
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

// heal has the clusters that are dead live again. Then they get the edit that was made while they were dead.
func (f *fleetScene) heal(ctx context.Context) error {
	_, dead := f.clusters()
	took, err := f.timed(ctx, len(dead), isEdited("dead"), func() error {
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

// manyEdits is how many are made in one cluster, one after the other.
const manyEdits = 21

// editOne takes the time of edits in one cluster, while all are alive.
func (f *fleetScene) editOne(ctx context.Context) error { return f.editsOf(ctx, "one") }

// editOneWithDead takes the same time while each tenth cluster is dead, among them the other one of the rule.
func (f *fleetScene) editOneWithDead(ctx context.Context) error {
	if err := f.editsOf(ctx, "onedead"); err != nil {
		return err
	}
	alone, _ := f.results.get(f.prefix + "one")
	beside, _ := f.results.get(f.prefix + "onedead")
	f.put("delay", max(0, beside-alone))
	return nil
}

func (f *fleetScene) editsOf(ctx context.Context, name string) error {
	for i := range manyEdits {
		text := name + strconv.Itoa(i)
		took, err := f.timed(ctx, 1, isEdited(text), func() error { return f.copying.EditOne(ctx, text) })
		if err != nil {
			return err
		}
		f.put(name, milliseconds(took.first))
	}
	return nil
}
