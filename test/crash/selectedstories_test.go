package crash_test

// selectedStories are what happens to the sources of a rule that selects them.
var selectedStories = []story{
	{
		name: "sources selected", tiers: bothTiers, given: sourceAndRule,
		act: func(w *world) {
			w.share("a")
			w.share("b")
			w.patch(w.rule("rule"), bySelector)
		},
	},
	{
		name: "selected source edited", tiers: bothTiers, given: selecting,
		act: func(w *world) { w.editShared("a", `{"data":{"color":"blue","size":null}}`) },
	},
	{
		name: "selected source opted out", tiers: bothTiers, given: selecting,
		act:  func(w *world) { w.editShared("a", veto) },
		undo: func(w *world) { w.editShared("a", consent) },
	},
	{
		name: "source gets the label", tiers: clusterTier, given: selecting,
		act:  func(w *world) { w.editShared("unlabelled", withShare) },
		undo: func(w *world) { w.editShared("unlabelled", withoutShare) },
	},
	{
		name: "source loses the label", tiers: bothTiers, given: selecting,
		act:  func(w *world) { w.editShared("a", withoutShare) },
		undo: func(w *world) { w.editShared("a", withShare) },
	},
	{
		name: "one source edited and the other opted out", tiers: clusterTier, given: selecting,
		act: func(w *world) {
			w.editShared("a", `{"data":{"color":"blue"}}`)
			w.editShared("b", veto)
		},
	},
}

// bySelector has a rule select the sources that are shared.
const bySelector = `{"spec":{"source":{"name":null,"selector":{"matchLabels":{"share":"yes"}}}}}`
