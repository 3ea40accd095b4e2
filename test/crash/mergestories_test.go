package crash_test

import "fmt"

// mergeStories are what happens to the layers of a rule that merges.
var mergeStories = []story{
	{
		name: "layer merged", tiers: bothTiers, given: func(w *world) { sourceAndRule(w); w.secret() },
		act:  merging,
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"merge":null,"destination":{"kind":null}}}`) },
	},
	{
		name: "layer edited", tiers: bothTiers, given: merged,
		act: func(w *world) { w.editSecret(`{"data":{"color":"Ymx1ZQ==","shape":"cm91bmQ="}}`) },
	},
	{
		name: "layer opted out", tiers: bothTiers, given: merged,
		act:  func(w *world) { w.editSecret(veto) },
		undo: func(w *world) { w.editSecret(consent) },
	},
	{
		name: "selected layers merged", tiers: bothTiers, given: func(w *world) { sourceAndRule(w); w.share("a"); w.share("b") },
		act:  mergingSelected,
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"merge":null}}`) },
	},
	{
		name: "selected layer opted out", tiers: bothTiers, given: mergedSelected,
		act:  func(w *world) { w.editShared("b", veto) },
		undo: func(w *world) { w.editShared("b", consent) },
	},
	{
		name: "selected layer loses its label", tiers: bothTiers, given: mergedSelected,
		act:  func(w *world) { w.editShared("a", `{"metadata":{"labels":{"share":null}}}`) },
		undo: func(w *world) { w.editShared("a", `{"metadata":{"labels":{"share":"yes"}}}`) },
	},
}

// mergingSelected has the rule merge with its source what a selector selects.
func mergingSelected(w *world) {
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"merge":{"onKeyConflict":"Last","layers":[`+
		`{"namespace":%q,"selector":{"matchLabels":{"share":"yes"}},"optional":true}]}}}`, w.name(home)))
}

// mergedSelected is a rule that merges what it selects.
func mergedSelected(w *world) {
	sourceAndRule(w)
	w.share("a")
	w.share("b")
	mergingSelected(w)
}

// merging has the rule merge a Secret of the name of the source with it.
func merging(w *world) {
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"destination":{"kind":"Secret"},"merge":{"onKeyConflict":"Last","layers":[`+
		`{"kind":"Secret","namespace":%q,"name":"settings","optional":true}]}}}`, w.name(home)))
}

// merged is a rule that merges.
func merged(w *world) {
	sourceAndRule(w)
	w.secret()
	merging(w)
}
