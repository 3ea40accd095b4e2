package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// What happens in a second of the load.
const (
	loadEdits      = 200 // of sources that have one copy
	loadNamespaces = 50  // that become targets of the fan-outs, or are none any more
	loadFans       = 2   // fan-outs into the namespaces
	loadHomes      = 100 // namespaces that hold the copies of the single rules
)

// load keeps many rules busy for minutes, and compares what the manager holds afterwards with what it held before.
func (b *bench) load(ctx context.Context) error {
	kinds, err := allKinds()
	if err != nil {
		return err
	}
	return b.with(ctx, theManager, kinds[:1], func(s *scene) error {
		c := &churn{scene: s, edited: make([]string, s.loadRules), selected: make([]bool, s.loadGuests)}
		if err := c.furnish(ctx); err != nil {
			return err
		}
		if err := c.putHeld(ctx, "load.before."); err != nil {
			return err
		}
		if err := c.run(ctx); err != nil {
			return err
		}
		if err := c.putHeld(ctx, "load.after."); err != nil {
			return err
		}
		for _, what := range []string{"live", "goroutines", "watches", "series"} {
			before, _ := s.results.get("load.before." + what)
			after, _ := s.results.get("load.after." + what)
			s.results.put("load.more."+what, after-before)
		}
		if err := c.putWrong(ctx); err != nil {
			return err
		}
		return c.rest(ctx)
	})
}

// rest measures the memory once more when the manager was left alone for a while.
func (c *churn) rest(ctx context.Context) error {
	if c.loadRest == 0 {
		return nil
	}
	select {
	case <-time.After(c.loadRest):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := c.putHeld(ctx, "load.rested."); err != nil {
		return err
	}
	before, _ := c.results.get("load.before.live")
	after, _ := c.results.get("load.rested.live")
	c.results.put("load.rested.more", after-before)
	return nil
}

// churn is a scene in which everything changes all the time.
type churn struct {
	*scene
	edited   []string // last edit of each source
	selected []bool   // whether the fan-outs select the namespace
}

const loadMember = "bench.example/loaded"

func fan(i int) types.NamespacedName {
	return types.NamespacedName{Namespace: home, Name: fmt.Sprintf("fan-%d", i)}
}

// furnish creates everything and waits until it is in step. Each cause is met once, so that its series exist.
func (c *churn) furnish(ctx context.Context) error {
	if err := c.api.createNamespace(ctx, home, nil); err != nil {
		return err
	}
	err := each(c.loadGuests, func(i int) error {
		c.selected[i] = true
		return c.api.createNamespace(ctx, guest(i), map[string]string{loadMember: ""})
	})
	if err != nil {
		return err
	}
	source := func(at types.NamespacedName) error {
		return c.api.create(ctx, configMaps, c.kinds[0].source(at.Name))
	}
	if err := each(c.loadRules, func(i int) error { return source(item(i)) }); err != nil {
		return err
	}
	if err := each(loadFans, func(i int) error { return source(fan(i)) }); err != nil {
		return err
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return c.createRules(ctx) },
		func() error { return c.turn(ctx, 0) },
		func() error { return c.turn(ctx, 0) },
		func() error { return c.editOne(ctx, 0, "load-first") },
	} {
		if _, err := c.during(ctx, step); err != nil {
			return err
		}
		c.observer.forget()
	}
	return nil
}

func (c *churn) createRules(ctx context.Context) error {
	destination := map[string]any{"namespaceSelector": map[string]any{"matchLabels": map[string]any{loadMember: ""}}}
	for i := range loadFans {
		if err := c.rule(ctx, c.kinds[0].rule(v1.KindClusterProjection, "", fan(i).Name, fan(i), destination)); err != nil {
			return err
		}
	}
	return each(c.loadRules, func(i int) error {
		return c.rule(ctx, c.kinds[0].rule(v1.KindProjection, guest(i%loadHomes), item(i).Name, item(i), map[string]any{}))
	})
}

// run changes sources and namespaces at their rates, and waits until the manager has nothing more to do.
func (c *churn) run(ctx context.Context) error {
	began := time.Now()
	var edits, turns atomic.Int64
	churning, cancel := context.WithTimeout(ctx, c.loadTime)
	defer cancel()
	var work errgroup.Group
	work.Go(func() error {
		return c.atRate(churning, loadEdits, func(n int) error {
			edits.Add(1)
			return c.editOne(ctx, n%c.loadRules, fmt.Sprintf("load-%d", n))
		})
	})
	work.Go(func() error {
		return c.atRate(churning, loadNamespaces, func(n int) error {
			turns.Add(1)
			return c.turn(ctx, n%c.loadGuests)
		})
	})
	if err := work.Wait(); err != nil {
		return err
	}
	lasted, ended := time.Since(began), time.Now()
	if _, err := c.during(ctx, func() error { return nil }); err != nil {
		return err
	}
	c.results.put("load.edits", float64(edits.Load())/lasted.Seconds())
	c.results.put("load.namespaces", float64(turns.Load())/lasted.Seconds())
	c.results.put("load.drained", (time.Since(ended) - silence).Seconds())
	return nil
}

// atRate calls the function so often in a second until the context ends, or as often as it can be done.
func (c *churn) atRate(ctx context.Context, rate int, do func(n int) error) error {
	var group errgroup.Group
	group.SetLimit(hands)
	ticks := time.NewTicker(time.Second / time.Duration(rate))
	defer ticks.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return group.Wait()
		case <-ticks.C:
			group.Go(func() error { return do(n) })
		}
		if n%rate == 0 {
			c.observer.forget() // nobody looks
		}
	}
}

func (c *churn) editOne(ctx context.Context, i int, text string) error {
	c.edited[i] = text
	return c.edit(ctx, configMaps, item(i), text)
}

// turn takes the namespace out of the fan-outs, or puts it in.
func (c *churn) turn(ctx context.Context, i int) error {
	c.selected[i] = !c.selected[i]
	var value any
	if c.selected[i] {
		value = ""
	}
	return c.api.edit(ctx, namespaces, types.NamespacedName{Name: guest(i)}, "labels", loadMember, value)
}

// putHeld notes what the manager holds when it has nothing to do.
func (c *churn) putHeld(ctx context.Context, prefix string) error {
	if err := c.putMemory(prefix)(ctx); err != nil {
		return err
	}
	values, err := c.runner.measured(ctx)
	if err != nil {
		return err
	}
	c.results.put(prefix+"watches", values["projection_watched_gvks"]+values["projection_watched_dest_gvks"])
	c.results.put(prefix+"series", values[metricSeries])
	c.results.put(prefix+"live", values[metricNextGC]/2/mebibyte)
	return nil
}

// putWrong counts the copies that do not have the last edit of their source, are missing, or are there in vain.
func (c *churn) putWrong(ctx context.Context) error {
	list, err := c.api.metadata.Resource(configMaps).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	copies := map[types.NamespacedName]string{}
	for i := range list.Items {
		if copied := &list.Items[i]; isGuest(copied.Namespace) && copied.Name != "kube-root-ca.crt" {
			copies[types.NamespacedName{Namespace: copied.Namespace, Name: copied.Name}] = copied.Annotations[editMark]
		}
	}
	right, wrong := 0, 0
	expect := func(at types.NamespacedName, text string) {
		if found, there := copies[at]; there && (found == text || text == "") {
			right++
			return
		}
		wrong++
	}
	for i, text := range c.edited {
		expect(types.NamespacedName{Namespace: guest(i % loadHomes), Name: item(i).Name}, text)
	}
	for i, selected := range c.selected {
		for f := range loadFans {
			if selected {
				expect(types.NamespacedName{Namespace: guest(i), Name: fan(f).Name}, "")
			}
		}
	}
	c.results.put("load.copies", float64(len(copies)))
	c.results.put("load.wrong", float64(wrong+len(copies)-right))
	return nil
}
