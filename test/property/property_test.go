package property_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env/histories"
	"projection.sh/operator/test/oracle"
)

const (
	// timeout is generous: the end of a namespace alone takes several seconds.
	timeout  = 2 * time.Minute
	interval = 50 * time.Millisecond
	// calm is how long a quiet cluster is watched for requests.
	calm = 3 * time.Second
)

// action is something that happens in histories, and how often it does.
type action struct {
	weight int
	act    func(*driver)
	// neutral actions change nothing that is wanted, and delete nothing.
	neutral bool
}

var actions = []action{
	{10, (*driver).putNamespace, false},
	{14, (*driver).putSource, false},
	{4, (*driver).deleteForeign, false},
	{4, (*driver).putForeign, false},
	{12, (*driver).putProjection, false},
	{12, (*driver).putClusterProjection, false},
	{5, (*driver).deleteRule, false},
	{12, (*driver).editCopy, true},
	{2, (*driver).forgeLabel, true},
	{5, (*driver).deleteCopy, false},
	{2, (*driver).handOver, false},
	{3, (*driver).restart, true},
	{2, (*driver).kill, true},
	{7, (*driver).crash, true},
	{7, (*driver).quiet, true},
	{1, (*driver).deleteNamespace, false},
}

// TestHistories makes random histories. One that fails is printed, and can be made again with its -seed.
func TestHistories(t *testing.T) {
	stale := newStaleServer(t, cluster)
	actions := append([]action{
		{3, (*driver).switchToStaleServer, true},
		{2, (*driver).switchBack, true},
		{2, (*driver).forbid, true},
		{2, (*driver).stripAccounts, true},
		{4, (*driver).changeAccount, true},
		{2, (*driver).changeDefinition, true},
		{3, (*driver).sicken, true},
		{6, (*driver).fix, false},
		{6, (*driver).tweak, false},
		{4, (*driver).changeForeseen, false},
	}, actions...)
	for _, seed := range chosen.Seeds() {
		t.Run(chosen.Name(seed), func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, seed)
			d.allowStaleServer(stale)
			if d.chance(33) {
				d.replicate()
			}
			if seed%4 == 1 {
				d.needNoConsent()
			}
			if seed%3 == 0 {
				defer d.onlyAccounts()()
			}
			d.testify()
			d.consults()
			for len(d.history) < *chosen.Steps {
				d.step(actions)
			}
			d.quiet()
			d.silent()
			d.stillRight()
			d.measured()
		})
	}
}

// step does one of the actions.
func (d *driver) step(actions []action) {
	d.alive() // a dead one is buried
	d.witnessed(histories.Choose(d.rng, actions, func(a action) int { return a.weight }))
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
		state, problems, err = d.world().Problems(context.Background(), d.foreign)
		require.NoError(d.t, err)
		if len(problems) == 0 {
			break
		}
		d.restoreNamespaces(state)
		d.noteRetained(state)
		d.noteAdopted(state)
		if time.Now().After(deadline) {
			require.FailNowf(d.t, "the cluster does not come to rest as it has to be", "%s\n\n%s", strings.Join(problems, "\n"), d.told())
		}
	}
	d.noteAdopted(state)
	problems = slices.Concat(d.lostMarks(state), d.changedOwners(state), d.testimony(state))
	require.Empty(d.t, problems, "%s", d.told())
	d.agrees(state)
	d.inquires(state)
	clear(d.ending)
	clear(d.leaving)
	d.did(nil, "quiet: %d namespaces, %d rules, %d objects, %d of them foreign", len(state.Namespaces), len(state.Rules), len(state.Objects), len(d.foreign))
}

// stillRight expects that everything is as it has to be, at once.
func (d *driver) stillRight() {
	d.t.Helper()
	state, problems, err := d.world().Problems(context.Background(), d.foreign)
	require.NoError(d.t, err)
	problems = slices.Concat(problems, d.lostMarks(state), d.changedOwners(state), d.testimony(state))
	require.Empty(d.t, problems, "%s", d.told())
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
		if request.Resource == "leases" {
			continue // the replicas elect a leader
		}
		told = append(told, request.String())
	}
	return told
}
