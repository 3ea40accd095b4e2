package crash_test

import (
	"fmt"

	v1 "projection.sh/operator/api/v1"
)

var (
	bothTiers   = []string{v1.KindProjection, v1.KindClusterProjection}
	clusterTier = []string{v1.KindClusterProjection}
)

// story is something that happens while an operator runs that is killed before it is done.
type story struct {
	name  string
	tiers []string
	// given is what there is before. It is in step when the story begins.
	given func(*world)
	act   func(*world)
	// undo takes it back, if that is possible. It is what may happen next that is hardest to get right.
	undo func(*world)
}

func sourceAndRule(w *world) {
	w.source()
	w.project("rule")
}

// published is a Secret of which one key is copied as a ConfigMap.
func published(w *world) {
	w.secret()
	w.editSecret(public)
	w.project("rule")
	w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Secret"},"destination":{"kind":"ConfigMap"},"content":{"data":{"include":["color"]}}}}`)
}

func sourceAndList(w *world) {
	w.source()
	w.projectTo("rule", fmt.Sprintf(`{namespaces: [%s, %s, %s]}`, w.name(one), w.name(two), w.name(three)))
}

// permitted is a source whose owner permits namespaces by their label. A rule lists one that is not permitted.
func permitted(w *world) {
	w.source()
	w.editSource(fmt.Sprintf(`{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: %s=%s"}}}`, groupLabel, w.id))
	w.projectTo("rule", fmt.Sprintf(`{namespaces: [%s, %s, %s]}`, w.name(one), w.name(two), w.name(three)))
}

var stories = []story{
	{
		name: "rule created", tiers: bothTiers, given: (*world).source,
		act: func(w *world) { w.project("rule") },
	},
	{
		name: "source edited", tiers: bothTiers, given: sourceAndRule,
		act: func(w *world) { w.editSource(`{"data":{"color":"blue","size":null,"shape":"round"}}`) },
	},
	{
		name: "renamed", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"name":"renamed"}}}`) },
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"name":null}}}`) },
	},
	{
		name: "kind changed", tiers: bothTiers,
		given: func(w *world) { sourceAndRule(w); w.secret() },
		act:   func(w *world) { w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Secret"}}}`) },
		undo:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"ConfigMap"}}}`) },
	},
	{
		name: "kind, name and overlay changed", tiers: clusterTier,
		given: func(w *world) { sourceAndRule(w); w.secret() },
		act: func(w *world) {
			w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Secret"},"destination":{"name":"renamed"},"overlay":{"labels":{"team":"core"}}}}`)
		},
		undo: func(w *world) {
			w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"ConfigMap"},"destination":{"name":"another"},"overlay":null}}`)
		},
	},
	{
		name: "content chosen", tiers: bothTiers,
		given: func(w *world) { sourceAndRule(w); w.editSource(`{"immutable":false}`) },
		act: func(w *world) {
			w.patch(w.rule("rule"), `{"spec":{"content":{"annotations":{"exclude":["*"]},"data":{"exclude":["size"],"rename":[{"from":"color","to":"colour"}]},`+
				`"fields":{"exclude":["immutable"]}}}}`)
		},
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"content":null}}`) },
	},
	{
		name: "kind of copies changed", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"kind":"Secret"}}}`) },
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"kind":null}}}`) },
	},
	{
		name: "key published", tiers: clusterTier,
		given: func(w *world) {
			w.secret()
			w.editSecret(public)
			w.project("rule")
			w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Secret"}}}`)
		},
		act: func(w *world) {
			w.patch(w.rule("rule"), `{"spec":{"destination":{"kind":"ConfigMap"},"content":{"data":{"include":["color"]}}}}`)
		},
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"destination":{"kind":null}}}`) },
	},
	{
		name: "public key edited", tiers: bothTiers, given: published,
		act: func(w *world) { w.editSecret(`{"data":{"color":"Ymx1ZQ=="}}`) },
	},
	{
		name: "public key taken back", tiers: bothTiers, given: published,
		act:  func(w *world) { w.editSecret(`{"metadata":{"annotations":{"projection.sh/public-keys":"size"}}}`) },
		undo: func(w *world) { w.editSecret(public) },
	},
	{
		name: "permission narrowed", tiers: bothTiers, given: permitted,
		act: func(w *world) {
			w.editSource(fmt.Sprintf(`{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: kubernetes.io/metadata.name in (%s)"}}}`, w.name(three)))
		},
		undo: func(w *world) { w.editSource(consent) },
	},
	{
		name: "permission lost and gained by a label", tiers: bothTiers, given: permitted,
		act:  func(w *world) { w.group(one, false); w.group(two, false); w.group(three, true) },
		undo: func(w *world) { w.group(one, true); w.group(three, false) },
	},
	{
		name: "permission lost where a stranger is in the way of a new name", tiers: bothTiers,
		given: func(w *world) {
			permitted(w)
			w.settles()
			w.stranger(one, "renamed")
			w.patch(w.rule("rule"), `{"spec":{"destination":{"name":"renamed"}}}`)
		},
		act: func(w *world) { w.group(one, false) },
	},
	{
		name: "label lost and gained", tiers: clusterTier, given: sourceAndRule,
		act:  func(w *world) { w.group(two, false); w.group(three, true) },
		undo: func(w *world) { w.group(two, true); w.group(three, false) },
	},
	{
		name: "list shrunk", tiers: clusterTier, given: sourceAndList,
		act: func(w *world) {
			w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"destination":{"namespaces":[%q]}}}`, w.name(three)))
		},
		undo: func(w *world) {
			w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"destination":{"namespaces":[%q,%q]}}}`, w.name(one), w.name(two)))
		},
	},
	{
		name: "list replaced by a selector", tiers: clusterTier, given: sourceAndList,
		act: func(w *world) {
			w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"destination":{"namespaces":null,"namespaceSelector":{"matchLabels":{"group":%q}}}}}`, w.id))
		},
	},
	{
		name: "vetoed", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.editSource(veto) },
		undo: func(w *world) { w.editSource(consent) },
	},
	{
		name: "source deleted", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.remove(home) },
		undo: (*world).source,
	},
	{
		name: "source deleted, copies retained", tiers: bothTiers,
		given: func(w *world) { w.retaining(v1.RetainSourceGone) },
		act:   func(w *world) { w.remove(home) },
		undo:  (*world).source,
	},
	{
		name: "rule deleted", tiers: bothTiers, given: sourceAndRule,
		act: func(w *world) { w.Delete(w.rule("rule")) },
	},
	{
		name: "first of two rules deleted", tiers: bothTiers,
		given: func(w *world) { sourceAndRule(w); w.settles(); w.project("second") },
		act:   func(w *world) { w.Delete(w.rule("rule")) },
	},
	{
		name: "stranger deleted", tiers: bothTiers,
		given: func(w *world) { w.put("ConfigMap", one, `data: {mine: "1"}`); sourceAndRule(w) },
		act:   func(w *world) { w.remove(one) },
	},
	{
		name: "copy deleted", tiers: bothTiers, given: sourceAndRule,
		act: func(w *world) { w.Delete(w.object("ConfigMap", one, "settings")) },
	},
	{
		name: "copy edited", tiers: bothTiers, given: sourceAndRule,
		act: func(w *world) {
			w.patch(w.object("ConfigMap", one, "settings"), `{"data":{"color":"green","size":null,"theirs-x":"1"}}`)
		},
	},
}
