package property_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/oracle"
)

// foreseen is what the plugin has said of the change of a rule.
type foreseen struct {
	rule oracle.Rule // nil: no rule was changed
	said plannedRule
}

// changeForeseen changes a rule when everything is as it has to be, and expects that what then happens is what the plugin has said.
func (d *driver) changeForeseen() {
	d.t.Helper()
	change := pick(d, []func(*driver){(*driver).tweak, (*driver).tweak, (*driver).putProjection, (*driver).putClusterProjection, (*driver).putClusterProjection})
	d.quiet()
	before, err := d.state()
	require.NoError(d.t, err)
	d.witness.unsettles()
	d.foreseen = &foreseen{}
	change(d)
	d.wants()
	if asked := d.foreseen; asked.rule != nil {
		d.quiet()
		after, err := d.state()
		require.NoError(d.t, err)
		problems := unforeseen(before, after, asked.rule, asked.said)
		require.Empty(d.t, problems, "the plugin said %v\n%s", asked.said, d.told())
	}
	d.foreseen = nil
}

// foresee asks the plugin what would become of the copies if the rule was as given.
func (d *driver) foresee(rule oracle.Rule) {
	d.t.Helper()
	if d.plugin == "" {
		return
	}
	namespace := &corev1.Namespace{}
	if rule.GetNamespace() != "" && d.client.Get(context.Background(), client.ObjectKey{Name: rule.GetNamespace()}, namespace) != nil {
		return // the rule cannot be there
	}
	d.foreseen.rule = rule.DeepCopyObject().(oracle.Rule)
	d.foreseen.said = d.plan(d.foreseen.rule)[0]
}

// unforeseen returns what has happened to copies of the rule and was not said, and what was said and has not happened.
func unforeseen(before, after oracle.State, rule oracle.Rule, said plannedRule) (problems []string) {
	left := map[oracle.Place]bool{} // copies of which nothing is said: they stay as they are
	for _, state := range []oracle.State{before, after} {
		for at := range state.Objects {
			if state.Owns(rule, at) {
				left[at] = true
			}
		}
	}
	for _, change := range said.Changes {
		if change.Copy == nil {
			continue
		}
		delete(left, change.place())
		if happens := whatHappened(before, after, rule, change.place()); !isForeseen(change, happens, oracle.IsSuspended(rule)) {
			problems = append(problems, fmt.Sprintf("%s: %s", change, happens))
		}
	}
	for at := range left {
		if happens := whatHappened(before, after, rule, at); happens != stays {
			problems = append(problems, fmt.Sprintf("unchanged %s: %s", at, happens))
		}
	}
	return problems
}

// What can happen in the place of a copy.
const (
	stays     = "nothing has happened"
	appears   = "a copy was created"
	changes   = "the copy has changed"
	recreated = "the copy was deleted and created again"
	vanishes  = "the copy was deleted"
	adopted   = "an object has become the copy"
	released  = "the copy has become another object"
	replaced  = "another object is there"
)

func whatHappened(before, after oracle.State, rule oracle.Rule, at oracle.Place) string {
	was, is := before.Objects[at], after.Objects[at]
	wasCopy, isCopy := before.Owns(rule, at), after.Owns(rule, at)
	isSame := was == is || was != nil && is != nil && was.GetUID() == is.GetUID()
	switch {
	case wasCopy && isCopy:
		return ofCopy(was, is, isSame)
	case wasCopy && isSame:
		return released
	case wasCopy:
		return vanishes
	case isCopy && isSame:
		return adopted
	case isCopy:
		return appears
	case isSame:
		return stays
	default:
		return replaced
	}
}

// ofCopy says what has happened to a copy that there is before and after.
func ofCopy(was, is *unstructured.Unstructured, isSame bool) string {
	switch {
	case !isSame:
		return recreated
	case was.GetResourceVersion() != is.GetResourceVersion():
		return changes
	default:
		return stays
	}
}

// foreseeable are what may happen to a copy of which the plugin says that. Another object in the place may end, or differ from what is adopted.
var foreseeable = map[string][]string{
	"create": {appears}, actionUpdate: {changes, recreated}, "adopt": {adopted, stays}, "delete": {vanishes}, "release": {released},
	actionKeep: {stays}, actionSkip: {stays, replaced}, actionRefuse: {stays, replaced},
}

// isForeseen tells whether that is what the plugin has said of a copy.
func isForeseen(change planned, happens string, isSuspended bool) bool {
	if isSuspended || change.isRefused() {
		return happens == stays
	}
	return change.Action == actionUnknown || slices.Contains(foreseeable[change.Action], happens)
}
