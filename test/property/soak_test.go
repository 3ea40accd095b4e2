package property_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/faults"
)

var (
	rounds  = flag.Int("rounds", 3, "rounds of the soak")
	minutes = flag.Int("minutes", 0, "minutes after which the soak begins no other round; 0: it ends after -rounds")
)

// soakSteps is how long a round is. A world of its own for each keeps the printed history short.
const soakSteps = 150

// turmoil is what happens in a soak: histories, and everything that can go wrong around the operator.
var turmoil = append([]action{
	{16, (*driver).storm, true},
	{8, (*driver).disturb, true},
	{2, (*driver).lull, true},
	{35, (*driver).dwell, true},
	{3, (*driver).freeze, true},
	{1, (*driver).restartProgram, true},
	{1, (*driver).unplug, true},
	{4, (*driver).switchToStaleServer, true},
	{2, (*driver).switchBack, true},
	{2, (*driver).forbid, true},
	{2, (*driver).stripAccounts, true},
	{4, (*driver).changeAccount, true},
	{2, (*driver).changeDefinition, true},
	{6, (*driver).sicken, true},
	{4, (*driver).fix, false},
	{4, (*driver).tweak, false},
}, actions...)

// TestSoak makes random histories under random faults, on a control plane of its own, which is disturbed, too. At each
// quiet point the faults end, and everything has to be as it has to be. The seed settles what happens, in which order, and
// which requests suffer; how the operator's own requests meet them is up to the machine.
func TestSoak(t *testing.T) {
	t.Parallel()
	plane, err := env.Start(env.WithCRDs(env.CRDs(), filepath.Join("testdata", "crds")), env.WithControllerManager())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, plane.Stop()) })
	stale := newStaleServer(t, plane)
	first := *chosen.Seed
	if first == 0 {
		first = rand.Uint64N(1 << 32)
	}
	t.Logf("to make this soak again: make soak SEED=%d MINUTES=%d", first, *minutes)
	suffered := map[faults.Fault]int{}
	began, round := time.Now(), 0
	for ; round < *rounds || time.Since(began) < time.Duration(*minutes)*time.Minute; round++ {
		d := newSoaked(t, plane, stale, first+uint64(round))
		d.testify()
		for len(d.history) < soakSteps {
			d.step(turmoil)
		}
		d.quiet()
		d.silent()
		d.stillRight()
		d.tearDown()
		struck := d.proxy.Spoiled()
		require.NotEmpty(t, struck, "no request and no watch has suffered\n%s", d.told())
		for fault, count := range struck {
			suffered[fault] += count
		}
	}
	t.Logf("%d rounds of %d steps in %s; requests and watches that suffered, by fault: %v", round, soakSteps, time.Since(began).Round(time.Second), suffered)
}

// newSoaked returns a driver whose operator goes through a proxy.
func newSoaked(t *testing.T, plane *env.Environment, stale *staleServer, seed uint64) *driver {
	t.Helper()
	d := newDriverOn(t, plane, seed)
	d.allowStaleServer(stale)
	d.interpose()
	for _, role := range roles {
		d.namespace(role)
	}
	for _, kind := range kinds[1:] {
		require.NoError(t, d.write(kind, pick(d, homes), pick(d, sources), pick(d, colors), true, `"true"`, 1))
	}
	for range 4 {
		d.putProjection()
		d.putClusterProjection()
	}
	return d
}

// interpose puts a proxy between the operator and the API server.
func (d *driver) interpose() {
	d.t.Helper()
	proxy, err := faults.NewProxy(d.config, d.seed)
	require.NoError(d.t, err)
	d.t.Cleanup(proxy.Close)
	d.proxy, d.config = proxy, proxy.Config()
}

// dwell lets time pass, in which faults meet requests.
func (d *driver) dwell() {
	pause := time.Duration(100+d.rng.IntN(900)) * time.Millisecond
	<-time.After(pause)
	d.did(nil, "%s pass", pause)
}

// tearDown deletes the rules and expects that they take everything along, and then the rest.
func (d *driver) tearDown() {
	d.t.Helper()
	ctx := context.Background()
	state, err := d.state()
	require.NoError(d.t, err)
	d.witness.unsettles()
	for _, rule := range state.Rules {
		require.NoError(d.t, client.IgnoreNotFound(d.client.Delete(ctx, rule)))
	}
	d.did(nil, "delete every rule")
	d.quiet()
	state, err = d.state()
	require.NoError(d.t, err)
	require.Empty(d.t, state.Rules)
	require.Len(d.t, state.Objects, len(d.foreign), "what is left is sources and foreign objects")
	d.end()
	d.proxy.Close()
	d.witness.end()
	for name := range state.Namespaces {
		require.NoError(d.t, client.IgnoreNotFound(d.client.Delete(ctx, &corev1.Namespace{ObjectMeta: state.Namespaces[name].ObjectMeta})))
	}
}

var (
	verbs = [][]string{
		{"get"}, {"list", "watch"}, {"patch"}, {"delete"}, {"update", "patch", "delete"}, {faults.Discover}, nil, nil, nil, nil,
	}
	reads     = []string{"get", "list", "watch", faults.Discover}
	resources = [][]string{
		{"configmaps"}, {"namespaces"}, {"projections", "clusterprojections"}, {"projections/status", "clusterprojections/status"},
		nil, nil, nil, nil, nil, nil,
	}
	spoils = append([]faults.Fault{
		faults.Slow, faults.Slow, faults.Hang, faults.ResetBefore, faults.ResetAfter, faults.ResetAfter, faults.CutBody, faults.Malformed, faults.Empty,
		faults.NotServed, faults.Silent, faults.End, faults.Torn, faults.Outdated,
	}, faults.Statuses...)
)

// storm replaces the faults by others.
func (d *driver) storm() {
	d.start()
	d.stormy = true
	rules := make([]faults.Rule, 1+d.rng.IntN(4))
	told := make([]string, len(rules))
	for i := range rules {
		rules[i] = faults.Rule{
			Verbs: pick(d, verbs), Resources: pick(d, resources), Fault: pick(d, spoils),
			Percent: pick(d, []uint64{5, 20, 50, 100}), Delay: time.Duration(d.rng.IntN(2000)) * time.Millisecond,
		}
		if rules[i].Fault == faults.Malformed || rules[i].Fault == faults.Empty {
			rules[i].Verbs = reads // a write that is said to have succeeded counts as one
		}
		told[i] = fmt.Sprintf("%s: %d%% of %v %v", rules[i].Fault, rules[i].Percent, rules[i].Verbs, rules[i].Resources)
	}
	d.proxy.Set(rules...)
	d.did(nil, "faults: %q", told)
}

// disturb spoils watches that are open.
func (d *driver) disturb() {
	rule := faults.Rule{
		Verbs: []string{"watch"}, Resources: pick(d, resources), Percent: pick(d, []uint64{50, 100}),
		Fault: pick(d, []faults.Fault{faults.Silent, faults.End, faults.Torn, faults.Outdated}),
	}
	d.proxy.Disturb(rule)
	d.did(nil, "open watches: %s, %d%% of %v", rule.Fault, rule.Percent, rule.Resources)
}

// lull ends the faults, but not the work.
func (d *driver) lull() {
	d.calm()
	d.did(nil, "no faults")
}

// calm ends the faults, and directs the operator to its own API server.
func (d *driver) calm() {
	d.leaveStaleServer()
	d.permit()
	d.heal()
	if d.proxy != nil {
		d.proxy.Clear()
		d.stormy = false
	}
}

// unplug breaks every connection of the operator for a moment.
func (d *driver) unplug() {
	pause := d.pause()
	d.proxy.Down()
	<-time.After(pause)
	d.proxy.Up()
	d.did(nil, "no connection for %s", pause)
}

func (d *driver) pause() time.Duration { return time.Duration(200+d.rng.IntN(3000)) * time.Millisecond }

func (d *driver) freeze() {
	program, pause := pick(d, []env.Program{env.Etcd, env.APIServer}), d.pause()
	err := d.plane.Freeze(program)
	<-time.After(pause)
	err = errors.Join(err, d.plane.Thaw(program), d.plane.WaitUntilReady(context.Background()))
	d.did(nil, "freeze %s for %s", program, pause)
	require.NoError(d.t, err, "%s", d.told())
}

func (d *driver) restartProgram() {
	program := pick(d, []env.Program{env.Etcd, env.APIServer})
	err := d.plane.Restart(context.Background(), program)
	d.did(nil, "kill %s, and start it again", program)
	require.NoError(d.t, err, "%s", d.told())
}
