package crash_test

import (
	"fmt"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
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
		name: "renamed by an expression", tiers: bothTiers, given: sourceAndRule,
		act: func(w *world) { w.nameBy(oracle.NameOfSource) },
		undo: func(w *world) {
			w.patch(w.rule("rule"), `{"spec":{"destination":{"nameExpression":null,"name":"renamed"}}}`)
		},
	},
	{
		name: "renamed by labels", tiers: bothTiers,
		given: func(w *world) { sourceAndRule(w); w.nameBy(oracle.NameByTeam); w.team(two, "a") },
		act:   func(w *world) { w.team(one, "a"); w.team(two, "b") },
		undo:  func(w *world) { w.team(one, ""); w.team(two, "a") },
	},
	{
		name: "renamed by labels while the source is edited", tiers: clusterTier,
		given: func(w *world) { sourceAndRule(w); w.nameBy(oracle.NameByTeam) },
		act:   func(w *world) { w.team(one, "a"); w.editSource(`{"data":{"color":"blue"}}`) },
	},
	{
		name: "rule deleted whose copies have different names", tiers: bothTiers,
		given: func(w *world) { sourceAndRule(w); w.nameBy(oracle.NameByTeam); w.team(one, "a") },
		act:   func(w *world) { w.team(one, "b"); w.Delete(w.rule("rule")) },
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
		name: "fields set", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.setFields(oracle.FieldOfTarget, oracle.FieldOfData, oracle.FieldIfRed) },
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"overlay":null}}`) },
	},
	{
		name: "source of set fields edited", tiers: bothTiers,
		given: func(w *world) { sourceAndRule(w); w.setFields(oracle.FieldOfTarget, oracle.FieldOfSource) },
		act:   func(w *world) { w.editSource(`{"data":{"color":"blue","size":null}}`) },
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
		name: "foreign objects adopted", tiers: clusterTier, given: inTheWay,
		act:  func(w *world) { w.adopt("Adopt") },
		undo: func(w *world) { w.adopt("Refuse") },
	},
	{
		name: "identical objects adopted while the source is edited", tiers: clusterTier, given: inTheWay,
		act: func(w *world) { w.adopt("AdoptIdentical"); w.editSource(`{"data":{"color":"green","size":null}}`) },
	},
	{
		name: "service account given", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.author("writer"); w.editSource(`{"data":{"color":"blue"}}`) },
		undo: func(w *world) { w.author("") },
	},
	{
		name: "service account and kind changed", tiers: bothTiers,
		given: func(w *world) { authored(w); w.secret() },
		act: func(w *world) {
			w.author("another")
			w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Secret"},"destination":{"name":"renamed"}}}`)
		},
		undo: func(w *world) { w.author("writer") },
	},
	{
		name: "vetoed, with a service account", tiers: bothTiers, given: authored,
		act:  func(w *world) { w.editSource(veto) },
		undo: func(w *world) { w.editSource(consent) },
	},
	{
		name: "suspended while copies are written", tiers: bothTiers, given: sourceAndRule,
		act:  func(w *world) { w.editSource(`{"data":{"color":"blue"}}`); w.suspend(true) },
		undo: func(w *world) { w.suspend(false) },
	},
	{
		name: "suspended while copies are deleted", tiers: clusterTier, given: sourceAndRule,
		act:  func(w *world) { w.editSource(veto); w.suspend(true) },
		undo: func(w *world) { w.suspend(false) },
	},
	{
		name: "resumed", tiers: bothTiers, given: suspendedAndEdited,
		act:  func(w *world) { w.suspend(false) },
		undo: func(w *world) { w.suspend(true) },
	},
	{
		name: "suspended rule deleted", tiers: bothTiers, given: suspendedAndEdited,
		act: func(w *world) { w.Delete(w.rule("rule")) },
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
		name: "source edited, and one of two copies deleted that keep their content", tiers: bothTiers, given: creating,
		act: func(w *world) {
			w.editSource(`{"data":{"color":"blue"}}`)
			w.Delete(w.object("ConfigMap", one, "settings"))
		},
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"policy":null}}`) },
	},
	{
		name: "copies no longer keep their content", tiers: bothTiers,
		given: func(w *world) {
			creating(w)
			w.settles()
			w.patch(w.object("ConfigMap", one, "settings"), `{"data":{"color":"green","size":null,"theirs-x":"1"}}`)
			w.editSource(`{"data":{"color":"blue"}}`)
		},
		act:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"policy":{"updates":"Follow"}}}`) },
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"policy":{"updates":"CreateOnly"}}}`) },
	},
	{
		name: "immutable copies changed", tiers: clusterTier,
		given: func(w *world) {
			sourceAndRule(w)
			w.editSource(`{"immutable":true}`)
			w.patch(w.rule("rule"), `{"spec":{"policy":{"onImmutable":"Recreate"}}}`)
		},
		act:  func(w *world) { w.patch(w.rule("rule"), `{"spec":{"content":{"data":{"exclude":["size"]}}}}`) },
		undo: func(w *world) { w.patch(w.rule("rule"), `{"spec":{"content":null}}`) },
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
