package property_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/oracle"
)

const (
	// timeout is generous: the end of a namespace alone takes several seconds.
	timeout  = 60 * time.Second
	interval = 50 * time.Millisecond
	// calm is how long a quiet cluster is watched for requests.
	calm = 3 * time.Second
)

// action is something that happens in histories, and how often it does.
type action struct {
	weight int
	act    func(*driver)
}

var actions = []action{
	{10, (*driver).putNamespace},
	{14, (*driver).putSource},
	{4, (*driver).deleteForeign},
	{4, (*driver).putForeign},
	{12, (*driver).putProjection},
	{12, (*driver).putClusterProjection},
	{5, (*driver).deleteRule},
	{12, (*driver).editCopy},
	{2, (*driver).forgeLabel},
	{5, (*driver).deleteCopy},
	{2, (*driver).handOver},
	{3, (*driver).restart},
	{2, (*driver).kill},
	{7, (*driver).crash},
	{7, (*driver).quiet},
	{1, (*driver).deleteNamespace},
}

// TestHistories makes random histories. One that fails is printed, and can be made again with its -seed.
func TestHistories(t *testing.T) {
	seeds := []uint64{*seed}
	if *seed == 0 {
		seeds = nil
		for range *count {
			seeds = append(seeds, rand.Uint64N(1<<32))
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("to make this history again: -run TestHistories -seed=%d -steps=%d", seed, *steps)
			d := newDriver(t, seed)
			for len(d.history) < *steps {
				d.step(actions)
			}
			d.quiet()
			d.silent()
		})
	}
}

// step does one of the actions.
func (d *driver) step(actions []action) {
	d.alive() // a dead one is buried
	total := 0
	for _, action := range actions {
		total += action.weight
	}
	n := d.rng.IntN(total)
	for _, action := range actions {
		if n -= action.weight; n < 0 {
			action.act(d)
			return
		}
	}
}

// quiet waits until everything is as it has to be.
func (d *driver) quiet() {
	d.t.Helper()
	d.quietWithin(timeout)
}

// quietWithin is quiet with a limit of its own.
func (d *driver) quietWithin(limit time.Duration) {
	d.t.Helper()
	d.calm()
	var state oracle.State
	var problems []string
	for deadline := time.Now().Add(limit); ; <-time.After(interval) {
		d.start()
		var err error
		state, err = d.state()
		require.NoError(d.t, err)
		problems = oracle.Problems(state, d.foreign)
		if len(problems) == 0 {
			break
		}
		if time.Now().After(deadline) {
			require.FailNowf(d.t, "the cluster does not come to rest as it has to be", "%s\n\n%s", strings.Join(problems, "\n"), d.told())
		}
	}
	problems = append(d.lostMarks(state), d.changedOwners(state)...)
	require.Empty(d.t, problems, "%s", d.told())
	clear(d.ending)
	d.did(nil, "quiet: %d namespaces, %d rules, %d objects, %d of them foreign", len(state.Namespaces), len(state.Rules), len(state.Objects), len(d.foreign))
}

// silent expects that there are no more requests, in the end, while nothing happens.
func (d *driver) silent() {
	d.t.Helper()
	for deadline := time.Now().Add(timeout); ; {
		requests := d.requestsFor(calm)
		if len(requests) == 0 {
			return
		}
		require.True(d.t, time.Now().Before(deadline), "the operator has something to do all the time: %v\n%s", requests, d.told())
	}
}

// requestsFor returns the requests of the operator during the time to come.
func (d *driver) requestsFor(duration time.Duration) []string {
	mark, err := d.plane.AuditMark()
	if err != nil {
		return []string{err.Error()}
	}
	<-time.After(duration)
	requests, err := d.plane.RequestsSince(mark, d.user)
	if err != nil {
		return []string{err.Error()}
	}
	var told []string
	for _, request := range requests {
		told = append(told, request.String())
	}
	return told
}
