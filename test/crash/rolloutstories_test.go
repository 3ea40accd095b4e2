package crash_test

import "fmt"

// sourceAndRollout is a rule that changes one copy at a time, that in namespace three first.
func sourceAndRollout(w *world) {
	sourceAndList(w)
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"rollout":{"maxUnavailable":1,"waves":[{"namespaceSelector":{"matchLabels":`+
		`{"kubernetes.io/metadata.name":%q}}}]}}}`, w.name(three)))
}

var rolloutStories = []story{
	{
		name: "source edited in a rollout", tiers: clusterTier, given: sourceAndRollout,
		act:  func(w *world) { w.editSource(`{"data":{"color":"blue","size":null,"shape":"round"}}`) },
		undo: func(w *world) { w.editSource(`{"data":{"color":"red","size":"1","shape":null}}`) },
	},
	{
		name: "renamed in a rollout", tiers: clusterTier, given: sourceAndRollout,
		act:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"name":"renamed"}}}`) },
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"name":null}}}`) },
	},
}
