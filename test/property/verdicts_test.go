package property_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
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
		if rule := state.Rules[at]; len(rules) < asked && !oracle.IsSuspended(rule) {
			rules = append(rules, rule)
		}
	}
	if len(rules) == 0 {
		return
	}
	var problems []string
	for i, said := range d.plan(rules...) {
		verdicts := oracle.VerdictsOf(state, d.foreign, rules[i])
		for _, problem := range disagreements(state, rules[i], said, verdicts) {
			problems = append(problems, fmt.Sprintf("the plugin says of %s %s/%s: %s", said.Kind, said.Namespace, said.Name, problem))
		}
	}
	require.Empty(d.t, problems, "%s", d.told())
}

// disagreements returns in what the plugin and the oracle differ about a rule.
func disagreements(state oracle.State, rule oracle.Rule, said plannedRule, verdicts oracle.Verdicts) (problems []string) {
	if unchanged := said.Counts["unchanged"]; unchanged != len(verdicts.InSync) {
		problems = append(problems, fmt.Sprintf("%d copies are in sync, not %v", unchanged, verdicts.InSync))
	}
	for _, change := range said.Changes {
		if !isKnown(state, rule, change, &verdicts) {
			problems = append(problems, change.String())
		}
	}
	if left := len(verdicts.None) + len(verdicts.Failed) + len(verdicts.Skipped); left > 0 {
		problems = append(problems, fmt.Sprintf("nothing of %v %v %v", verdicts.None, verdicts.Failed, verdicts.Skipped))
	}
	return problems
}

// rootCAs is an object that Kubernetes puts into each namespace, and that is no part of a history.
const rootCAs = "kube-root-ca.crt"

// isKnown tells whether the oracle says so, too, and removes it from the verdicts.
func isKnown(state oracle.State, rule oracle.Rule, change planned, verdicts *oracle.Verdicts) (known bool) {
	at := change.place()
	switch change.Action {
	case actionKeep, actionUnknown: // whether the owner of a source that is not selected any more consents, the plugin does not ask
		known = state.Owns(rule, at)
	case actionSkip:
		verdicts.Skipped, known = without(verdicts.Skipped, func(skipped oracle.Place) bool { return skipped == at })
	case actionUpdate:
		verdicts.Failed, known = without(verdicts.Failed, func(f oracle.Failure) bool {
			return f.Place == at && f.Reason == v1.ReasonDestinationUpdateFailed
		})
	case actionRefuse:
		if change.Namespace != "" {
			verdicts.Failed, known = without(verdicts.Failed, func(f oracle.Failure) bool {
				return f.Namespace == change.Namespace && f.Reason == change.Reason
			})
			return known
		}
		if change.Source != nil && change.Source.Name == rootCAs {
			return true
		}
		verdicts.None, known = without(verdicts.None, func(reasons []string) bool { return slices.Contains(reasons, change.Reason) })
	}
	return known
}

// without removes the first element that matches, and tells whether there is one.
func without[T any](from []T, matches func(T) bool) ([]T, bool) {
	at := slices.IndexFunc(from, matches)
	if at < 0 {
		return from, false
	}
	return slices.Delete(from, at, at+1), true
}

func (p planned) String() string {
	if p.Copy == nil {
		return fmt.Sprintf("%s in %q %s (%s)", p.Action, p.Namespace, p.Reason, p.Message)
	}
	return fmt.Sprintf("%s %s %s (%s)", p.Action, p.place(), p.Reason, p.Message)
}
