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
