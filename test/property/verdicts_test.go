package property_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/oracle"
)

// asked is how many rules the plugin is asked about at a quiet point.
const asked = 4

// agrees expects that the plugin says of some rules what the oracle says. It uses numbers of its own, too.
func (d *driver) agrees(state oracle.State) {
	d.t.Helper()
	if d.plugin == "" {
		return
	}
	rng := rand.New(rand.NewPCG(d.seed+21, uint64(len(d.history))))
	var rules []oracle.Rule
	for _, at := range rng.Perm(len(state.Rules)) {
		if rule := state.Rules[at]; len(rules) < asked {
			rules = append(rules, rule)
		}
	}
	if len(rules) == 0 {
		return
	}
	d.agreesWhenReported(func() (problems []string) {
		for i, said := range d.plan(rules...) {
			verdicts := oracle.VerdictsOf(state, d.foreign, rules[i])
			for _, problem := range disagreements(state, rules[i], said, verdicts) {
				problems = append(problems, fmt.Sprintf("the plugin says of %s %s/%s: %s", said.Kind, said.Namespace, said.Name, problem))
			}
		}
		return problems
	})
}

// agreesWhenReported expects that the plugin and the oracle do not differ. It asks again while they differ in what the operator may not have reported
// yet, as the plugin says: a copy is written before the status of its rule.
func (d *driver) agreesWhenReported(differences func() []string) {
	d.t.Helper()
	isUnreported := func(problem string) bool { return strings.Contains(problem, "the operator has not reported it yet") }
	problems := differences()
	for deadline := time.Now().Add(timeout); slices.ContainsFunc(problems, isUnreported) && time.Now().Before(deadline); problems = differences() {
		<-time.After(interval)
	}
	require.Empty(d.t, problems, "%s", d.told())
}

// disagreements returns in what the plugin and the oracle differ about a rule.
func disagreements(state oracle.State, rule oracle.Rule, said plannedRule, verdicts oracle.Verdicts) (problems []string) {
	for _, change := range said.Changes {
		if !isKnown(state, rule, change, &verdicts) {
			problems = append(problems, change.String())
		}
	}
	_, isOpen := without(verdicts.Held, func(held oracle.Held) bool { return held.Standing != oracle.Current })
	if left := len(verdicts.None) + len(verdicts.Failed) + len(verdicts.Skipped); isOpen || left > 0 {
		problems = append(problems, fmt.Sprintf("nothing of %v, but %v", verdicts, said.Changes))
	}
	if unchanged := said.Counts["unchanged"]; unchanged != len(verdicts.InSync)+len(verdicts.Held) {
		problems = append(problems, fmt.Sprintf("%d copies are in sync, not %v", unchanged, verdicts))
	}
	return problems
}

// rootCAs is an object that Kubernetes puts into each namespace, and that is no part of a history.
const rootCAs = "kube-root-ca.crt"

// stateOf has the state of the copy for each action of which the oracle knows the place.
var stateOf = map[string]string{actionSkip: stateForeign, "adopt": stateForeign, actionUpdate: stateOutOfSync, "create": stateMissing}

// isKnown tells whether the oracle says so, too, and removes it from the verdicts.
func isKnown(state oracle.State, rule oracle.Rule, change planned, verdicts *oracle.Verdicts) bool {
	at := change.place()
	switch change.Action {
	case actionKeep, actionUnknown: // whether the owner of a source that is not selected any more consents, the plugin does not ask
		_ = takeInSync(verdicts, at) || takeHeld(verdicts, at, oracle.Current, oracle.Stale)
		return state.Owns(rule, at)
	case "delete", "release":
		return state.Owns(rule, at) && oracle.IsSuspended(rule)
	case actionRefuse:
		switch {
		case change.Namespace != "":
			return takes(verdicts, claim{stateBlocked, oracle.Place{Namespace: change.Namespace}, change.Reason})
		case change.Source != nil && change.Source.Name == rootCAs:
			return true
		default:
			return takes(verdicts, claim{stateRefused, at, change.Reason})
		}
	default:
		return takes(verdicts, claim{stateOf[change.Action], at, change.Reason})
	}
}

func (p planned) String() string {
	if p.Copy == nil {
		return fmt.Sprintf("%s in %q %s (%s)", p.Action, p.Namespace, p.Reason, p.Message)
	}
	return fmt.Sprintf("%s %s %s (%s)", p.Action, p.place(), p.Reason, p.Message)
}
