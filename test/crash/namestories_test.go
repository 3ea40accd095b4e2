package crash_test

import (
	"fmt"

	"projection.sh/operator/test/oracle"
)

// nameStories are what happens to the names of copies of selected sources. The label color of a source names its copies.
var nameStories = []story{
	{
		name: "selected sources named by an expression", tiers: bothTiers,
		given: func(w *world) { selecting(w); w.color("a", "x"); w.color("b", "x") },
		act:   func(w *world) { w.nameBy(oracle.NameByColor) },
		undo:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"nameExpression":null}}}`) },
	},
	{
		name: "name of a selected source changes", tiers: bothTiers, given: named("x", "y"),
		act:  func(w *world) { w.color("a", "z") },
		undo: func(w *world) { w.color("a", "x") },
	},
	{
		name: "two names swapped", tiers: bothTiers, given: named("y", "x"),
		act:  func(w *world) { w.color("a", "x"); w.color("b", "y") },
		undo: func(w *world) { w.color("a", "y"); w.color("b", "x") },
	},
	{
		name: "collision arises", tiers: clusterTier, given: named("x", "y"),
		act:  func(w *world) { w.color("b", "x") },
		undo: func(w *world) { w.color("b", "y") },
	},
	{
		name: "collision ends", tiers: clusterTier, given: named("x", "x"),
		act:  func(w *world) { w.color("b", "y") },
		undo: func(w *world) { w.color("b", "x") },
	},
	{
		name: "renamed copy takes over", tiers: bothTiers, given: named("x", "y"),
		act:  func(w *world) { w.color("a", "y") },
		undo: func(w *world) { w.color("a", "x") },
	},
	{
		name: "renamed copy leaves its name to the next", tiers: clusterTier, given: named("x", "x"),
		act:  func(w *world) { w.color("a", "y") },
		undo: func(w *world) { w.color("a", "x") },
	},
	{
		name: "relabelled source leaves its name to the next", tiers: clusterTier, given: named("x", "x"),
		act:  func(w *world) { w.editShared("a", withoutShare) },
		undo: func(w *world) { w.editShared("a", withShare) },
	},
	{
		name: "relabelled source takes a name over", tiers: clusterTier, given: named("x", "unlabelled"),
		act:  func(w *world) { w.editShared("unlabelled", withShare); w.editShared("b", withoutShare) },
		undo: func(w *world) { w.editShared("b", withShare) },
	},
	{
		name: "source relabelled and renamed at once", tiers: clusterTier, given: named("x", "y"),
		act: func(w *world) {
			w.editShared("a", withoutShare)
			w.color("a", "y")
			w.color("b", "x")
			w.editShared("a", withShare)
		},
	},
	{
		name: "opted out source leaves its name to the next", tiers: clusterTier, given: named("x", "x"),
		act:  func(w *world) { w.editShared("a", veto) },
		undo: func(w *world) { w.editShared("a", consent) },
	},
	{
		name: "opted out source is in the way of a rename", tiers: clusterTier, given: named("x", "y"),
		act:  func(w *world) { w.editShared("b", veto); w.color("a", "y") },
		undo: func(w *world) { w.editShared("b", consent) },
	},
	{
		name: "deleted source leaves its name to the next", tiers: clusterTier, given: named("x", "x"),
		act:  func(w *world) { w.unshare("a") },
		undo: func(w *world) { w.share("a") },
	},
	{
		name: "selected sources renamed by labels of namespaces", tiers: clusterTier,
		given: func(w *world) { selecting(w); w.share("aa"); w.nameBy(oracle.NameByTeam) },
		act:   func(w *world) { w.team(one, "a") },
		undo:  func(w *world) { w.team(one, "") },
	},
	{
		name: "rule deleted whose selected sources swap names", tiers: clusterTier, given: named("x", "y"),
		act: func(w *world) { w.color("a", "y"); w.color("b", "x"); w.Delete(w.rule("rule")) },
	},
}

// named is a rule that selects a and b, whose copies have these names.
func named(a, b string) func(*world) {
	return func(w *world) {
		selecting(w)
		w.color("a", a)
		w.color("b", b)
		w.nameBy(oracle.NameByColor)
	}
}

// color sets the label by which oracle.NameByColor names copies of a source.
func (w *world) color(source, color string) {
	w.T.Helper()
	w.editShared(source, fmt.Sprintf(`{"metadata":{"labels":{"color":%q}}}`, color))
}

// unshare deletes a source that is selected.
func (w *world) unshare(name string) {
	w.T.Helper()
	object := w.object("ConfigMap", home, name)
	w.Delete(object)
	delete(w.foreign, oracle.PlaceOf(object))
}
