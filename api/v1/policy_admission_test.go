package v1_test

import "testing"

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
