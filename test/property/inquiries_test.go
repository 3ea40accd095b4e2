package property_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/oracle"
)

// why is what the command why prints of a rule in a namespace, or of an object.
type why struct {
	State string `json:"state"`
	Rule  *struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"rule"`
	Copies  []verdict `json:"copies"`
	Verdict *verdict  `json:"verdict"`
}

// verdict is what the plugin says of one copy.
type verdict struct {
	planned
	State string `json:"state"`
}

func (v verdict) claim() claim {
	if v.Copy == nil {
		return claim{v.State, oracle.Place{Namespace: v.Namespace}, v.Reason}
	}
	return claim{v.State, v.place(), v.Reason}
}

// status is what the command status prints.
type status struct {
	Rules []struct {
		Ready     string `json:"ready"`
		Reason    string `json:"reason"`
		Failed    int    `json:"failed"`
		Suspended bool   `json:"suspended"`
	} `json:"rules"`
}

// progress is what the command status prints of a rule with --watch.
type progress struct {
	UpToDate *int `json:"upToDate"`
	Wanted   *int `json:"wanted"`
	Complete bool `json:"complete"`
}

// inquires expects that the plugin says of a rule in a namespace, of an object, and of the status of a rule what the oracle says.
func (d *driver) inquires(state oracle.State) {
	d.t.Helper()
	if d.plugin == "" || len(state.Rules) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(d.seed+22, uint64(len(d.history))))
	rule := func() oracle.Rule { return state.Rules[rng.IntN(len(state.Rules))] }
	explained, namespace, shown := rule(), d.name(roles[rng.IntN(len(roles))]), rule()
	places := slices.SortedFunc(maps.Keys(state.Objects), func(a, b oracle.Place) int { return strings.Compare(a.String(), b.String()) })
	var asked *oracle.Place
	if len(places) > 0 {
		asked = &places[rng.IntN(len(places))]
	}
	d.agreesWhenReported(func() []string {
		problems := slices.Concat(d.whyIn(state, explained, namespace), d.statusOf(state, shown))
		if asked != nil {
			problems = append(problems, d.whyObject(state, *asked)...)
		}
		return problems
	})
}

func argument(rule oracle.Rule) string {
	return strings.ToLower(rule.GetKind()) + ".projection.sh/" + rule.GetName()
}

// whyIn returns in what the plugin and the oracle differ about a rule in a namespace.
func (d *driver) whyIn(state oracle.State, rule oracle.Rule, namespace string) (problems []string) {
	d.t.Helper()
	if rule.GetNamespace() != "" {
		namespace = rule.GetNamespace()
	}
	var said why
	require.NoError(d.t, json.Unmarshal(d.ask(nil, "why", argument(rule), "-n", namespace), &said))
	verdicts := in(oracle.VerdictsOf(state, d.foreign, rule), namespace)
	for _, each := range said.Copies {
		isSystem := each.Source != nil && each.Source.Name == rootCAs
		if each.State != stateNotTarget && !isSystem && !takes(&verdicts, each.claim()) {
			problems = append(problems, fmt.Sprintf("why %s -n %s: %s %s", argument(rule), namespace, each.State, each))
		}
	}
	if left := len(verdicts.InSync) + len(verdicts.Skipped) + len(verdicts.Held) + len(verdicts.Failed) + len(verdicts.None); left > 0 {
		problems = append(problems, fmt.Sprintf("why %s -n %s: nothing of %v in %v", argument(rule), namespace, verdicts, said.Copies))
	}
	return problems
}

// whyObject returns in what the plugin and the oracle differ about an object: whose copy it is, and whether that is wanted.
func (d *driver) whyObject(state oracle.State, at oracle.Place) []string {
	d.t.Helper()
	owner := slices.IndexFunc(state.Rules, func(rule oracle.Rule) bool {
		return state.Owns(rule, at) && (rule.GetNamespace() == "" || rule.GetNamespace() == at.Namespace)
	})
	if _, isForeign := d.foreign[at]; isForeign || owner < 0 {
		return nil // what its annotations say may be forged
	}
	rule := state.Rules[owner]
	name := strings.ToLower(at.Kind.Kind)
	if at.Kind.Group != "" {
		name += "." + at.Kind.Group
	}
	var said why
	require.NoError(d.t, json.Unmarshal(d.ask(nil, "why", name+"/"+at.Name, "-n", at.Namespace), &said))
	if said.State != "Copy" || said.Rule == nil || said.Rule.Kind != rule.GetKind() || said.Rule.Namespace != rule.GetNamespace() || said.Rule.Name != rule.GetName() {
		return []string{fmt.Sprintf("why %s: %s of %v, not a copy of %s", at, said.State, said.Rule, argument(rule))}
	}
	verdicts, claimed := oracle.VerdictsOf(state, d.foreign, rule), claim{}
	if said.Verdict != nil {
		claimed = said.Verdict.claim()
	}
	isThere := slices.Contains([]string{stateInSync, stateExists, stateOutOfSync, stateForeign}, claimed.state)
	isWanted := slices.Contains(verdicts.InSync, at) || slices.ContainsFunc(verdicts.Held, func(held oracle.Held) bool { return held.Place == at })
	if isThere && !takes(&verdicts, claimed) || !isThere && isWanted {
		return []string{fmt.Sprintf("why %s: %v, not %v", at, said.Verdict, verdicts)}
	}
	return nil
}

// statusOf returns in what the plugin and the oracle differ about the status of a rule.
func (d *driver) statusOf(state oracle.State, rule oracle.Rule) (problems []string) {
	d.t.Helper()
	namespace := rule.GetNamespace()
	if namespace == "" {
		namespace = d.name("settings")
	}
	var said status
	require.NoError(d.t, json.Unmarshal(d.ask(nil, "status", argument(rule), "-n", namespace), &said))
	require.Len(d.t, said.Rules, 1)
	verdicts, is := oracle.VerdictsOf(state, d.foreign, rule), said.Rules[0]
	if is.Suspended != oracle.IsSuspended(rule) {
		problems = append(problems, fmt.Sprintf("status %s: suspended is %t", argument(rule), is.Suspended))
	}
	if is.Suspended || len(verdicts.None) > 0 {
		return problems
	}
	failed := map[string]bool{}
	for _, failure := range verdicts.Failed {
		failed[failure.Namespace] = true
	}
	if (is.Ready == "True") != (len(failed) == 0) || is.Failed != len(failed) {
		problems = append(problems, fmt.Sprintf("status %s: ready is %s, %s, with %d failures, not %v", argument(rule), is.Ready, is.Reason, is.Failed, verdicts.Failed))
	}
	if len(failed) == 0 && len(verdicts.InSync)+len(verdicts.Skipped) > 0 { // it waits for a source that may be copied
		problems = append(problems, d.watchOf(rule, namespace, len(verdicts.InSync), len(verdicts.Skipped))...)
	}
	return problems
}

// watchOf returns in what the plugin and the oracle differ about how many copies of a rule, which has what it wants, are up to date.
func (d *driver) watchOf(rule oracle.Rule, namespace string, inSync, skipped int) []string {
	d.t.Helper()
	printed := d.ask(nil, "status", argument(rule), "-n", namespace, "--watch", "--timeout=30s")
	var said progress
	for each := json.NewDecoder(bytes.NewReader(printed)); each.More(); {
		said = progress{}
		require.NoError(d.t, each.Decode(&said), "%s", printed)
	}
	if !said.Complete || said.UpToDate == nil || said.Wanted == nil || *said.UpToDate != inSync || *said.Wanted != inSync+skipped {
		return []string{fmt.Sprintf("status %s --watch: %s, not %d copies in sync, and %d objects that are left alone", argument(rule), printed, inSync, skipped)}
	}
	return nil
}
