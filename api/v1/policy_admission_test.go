package v1_test

import (
	"testing"

	v1 "projection.sh/operator/api/v1"
)

func TestClaimsAreNotRecreated(t *testing.T) {
	refused := []string{"spec.policy.onImmutable: Forbidden: a PersistentVolumeClaim that is recreated loses its data: remove onImmutable"}
	rule := func(source, policy string) string {
		return "source: {" + source + ", namespace: platform, name: app}\npolicy: {" + policy + "}"
	}
	bothKinds(t, []admission{
		{name: "a claim", spec: rule("kind: PersistentVolumeClaim", "onImmutable: Recreate"), want: refused},
		{name: "a claim of the core group", spec: rule(`group: "", kind: PersistentVolumeClaim`, "onImmutable: Recreate"), want: refused},
		{name: "a claim that is kept", spec: rule("kind: PersistentVolumeClaim", "onImmutable: Keep")},
		{name: "a claim, and another policy", spec: rule("kind: PersistentVolumeClaim", "updates: CreateOnly")},
		{name: "another group", spec: rule("group: example.com, kind: PersistentVolumeClaim", "onImmutable: Recreate")},
		{name: "a ConfigMap", spec: rule("kind: ConfigMap", "onImmutable: Recreate")},
	})
}

// TestTargetOfAProjectionIsNeverDropped refuses a cause that cannot occur.
func TestTargetOfAProjectionIsNeverDropped(t *testing.T) {
	refused := []string{"spec.policy.retain: Forbidden: the namespace of a Projection is always its target: remove TargetDropped from the list, or create a ClusterProjection"}
	admit(t, v1.KindProjection, []admission{
		{name: "alone", spec: anySource + "policy: {retain: [TargetDropped]}", want: refused},
		{name: "among others", spec: anySource + "policy: {retain: [RuleDeleted, TargetDropped, SourceGone]}", want: refused},
		{name: "others", spec: anySource + "policy: {retain: [RuleDeleted, SourceGone]}"},
		{name: "none", spec: anySource + "policy: {retain: []}"},
	})
	admit(t, v1.KindClusterProjection, []admission{
		{name: "of a ClusterProjection", spec: anySource + "policy: {retain: [RuleDeleted, TargetDropped, SourceGone]}"},
	})
}
