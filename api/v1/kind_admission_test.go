package v1_test

import (
	"testing"

	v1 "projection.sh/operator/api/v1"
)

func TestKindOfCopiesIsCheckedAtAdmission(t *testing.T) {
	const (
		otherKind = "spec.destination.kind: Forbidden: only a ConfigMap or a Secret of the core group can be copied as the other of the two: remove destination.kind"
		keys      = "spec.content.data.include: Required: a ConfigMap is readable by more people than a Secret: list every key to copy in content.data.include, without *"
		unknown   = `spec.destination.kind: NotSupported: supported values: "ConfigMap", "Secret"`
	)
	for kind, others := range map[string]string{v1.KindProjection: "", v1.KindClusterProjection: ", namespaces: [tenant-a]"} {
		rule := func(source, to, content string) string {
			return "source: {" + source + ", namespace: platform, name: app}\ndestination: {kind: " + to + others + "}\ncontent: {" + content + "}"
		}
		t.Run(kind, func(t *testing.T) {
			admit(t, kind, []admission{
				{name: "a ConfigMap as a Secret", spec: rule("kind: ConfigMap", "Secret", "")},
				{name: "a ConfigMap as a ConfigMap", spec: rule("kind: ConfigMap", "ConfigMap", "")},
				{name: "a Secret as a Secret", spec: rule(`group: "", kind: Secret`, "Secret", "")},
				{name: "a Secret with keys that are named", spec: rule("kind: Secret", "ConfigMap", `data: {include: [ca.crt, tls.crt], exclude: ["*.key"], allowMissing: true}`)},

				{name: "a Secret with all keys", spec: rule("kind: Secret", "ConfigMap", ""), want: []string{keys}},
				{name: "a Secret with keys that are only excluded", spec: rule("kind: Secret", "ConfigMap", `data: {exclude: [tls.key]}`), want: []string{keys}},
				{name: "a Secret with no key", spec: rule("kind: Secret", "ConfigMap", `data: {include: []}`), want: []string{keys}},
				{name: "a Secret with a pattern", spec: rule("kind: Secret", "ConfigMap", `data: {include: [ca.crt, "tls.*"]}`), want: []string{keys}},
				{name: "a Secret of another group", spec: rule("group: example.com, kind: Secret", "Secret", ""), want: []string{otherKind}},
				{name: "a Deployment", spec: rule("group: apps, kind: Deployment", "Secret", ""), want: []string{otherKind}},
				{name: "as a Deployment", spec: rule("kind: ConfigMap", "Deployment", ""), want: []string{unknown}},
			})
		})
	}
}
