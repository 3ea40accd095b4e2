package integration_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestCopiesOfOtherToolsAreAdopted adopts copies with the labels and annotations that the source code of each tool writes.
func TestCopiesOfOtherToolsAreAdopted(t *testing.T) {
	tests := map[string]struct{ source, copied, left string }{
		"reflector": {
			`annotations: {reflector.v1.k8s.emberstack.com/reflection-allowed: "true", reflector.v1.k8s.emberstack.com/reflection-auto-enabled: "true"}`,
			`annotations: {reflector.v1.k8s.emberstack.com/reflects: $HOME/settings, reflector.v1.k8s.emberstack.com/auto-reflects: "True",
				reflector.v1.k8s.emberstack.com/reflected-version: "1", reflector.v1.k8s.emberstack.com/reflected-at: now}`, "",
		},
		"replicator, pushed": {
			`labels: {team: core}, annotations: {replicator.v1.mittwald.de/replicate-to: ".*"}`,
			`labels: {team: core}, annotations: {replicator.v1.mittwald.de/replicated-at: now, replicator.v1.mittwald.de/replicated-from-version: "1",
				replicator.v1.mittwald.de/replicated-keys: "color,size"}`, "",
		},
		"replicator, pulled": {
			`annotations: {replicator.v1.mittwald.de/replication-allowed: "true", replicator.v1.mittwald.de/replication-allowed-namespaces: ".*"}`,
			`annotations: {replicator.v1.mittwald.de/replicate-from: $HOME/settings, replicator.v1.mittwald.de/replicated-at: now,
				replicator.v1.mittwald.de/replicated-from-version: "1", replicator.v1.mittwald.de/replicated-keys: "color,size"}`, "",
		},
		"config-syncer": {
			`labels: {team: core}, annotations: {kubed.appscode.com/sync: "", note: a}`,
			`labels: {team: core, kubed.appscode.com/origin.name: settings, kubed.appscode.com/origin.namespace: home, kubed.appscode.com/origin.cluster: c},
				annotations: {kubed.appscode.com/origin: "{}", note: a}`, "",
		},
		"Kyverno": {
			`labels: {team: core, generate.kyverno.io/clone-source: ""}, annotations: {}`,
			`labels: {team: core, app.kubernetes.io/managed-by: kyverno, generate.kyverno.io/clone-source: "", generate.kyverno.io/policy-name: p,
				generate.kyverno.io/policy-namespace: "", generate.kyverno.io/rule-name: r, generate.kyverno.io/source-uid: u, generate.kyverno.io/trigger-uid: t}`,
			"app.kubernetes.io/managed-by",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Create(`{apiVersion: v1, kind: ConfigMap, data: ` + same + `, metadata: {name: settings, namespace: $HOME, ` + test.source + `}}`)
			w.Merge(source, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
			theirs := w.Create(`{apiVersion: v1, kind: ConfigMap, data: ` + same + `, metadata: {name: settings, namespace: $AWAY, ` + test.copied + `}}`)
			rule := w.adopting(source, "{onConflict: AdoptIdentical}", w.Away)
			w.Ready(rule)
			w.settles()
			adopted := w.Exists(source, w.Away, "settings", fixture.Anything)
			assert.Equal(t, theirs.GetUID(), adopted.GetUID())
			assert.Equal(t, rule.Name, adopted.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
			for _, entries := range []map[string]string{adopted.GetLabels(), adopted.GetAnnotations()} {
				for key := range entries {
					assert.NotRegexp(t, "reflector|replicator|kubed|kyverno", key)
				}
			}
			if test.left != "" {
				assert.Contains(t, adopted.GetLabels(), test.left)
			}
		})
	}
}
