package integration_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env/fixture"
)

// A kept copy of a source that is not selected any more, whose owner permits some namespaces: one of them loses the label.
func TestSelectedKeptCopyWhoseNamespaceIsNotPermittedAnyMore(t *testing.T) {
	w := newWorld(t)
	one := w.member(fmt.Sprintf(`{"group":%q,"team":"shop"}`, w.Home))
	a := w.shares("a")
	w.shares("b")
	w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: team=shop"}}}`)
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`, `policy: {retain: [SourceGone]}`)
	w.copiesOf(one, "a", "b")
	w.Ready(rule)
	w.Merge(a, `{"metadata":{"labels":null}}`)
	w.settles()
	w.Exists(a, one, "a", fixture.Anything)
	namespace := w.Object(fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", one))
	w.Merge(namespace, `{"metadata":{"labels":{"team":null}}}`)
	w.copiesOf(one, "b")
}

// The same source, but the owner narrows where it may be, and it stays unselected.
func TestSelectedKeptCopyNarrowed(t *testing.T) {
	w := newWorld(t)
	one := w.member(fmt.Sprintf(`{"group":%q,"team":"shop"}`, w.Home))
	a := w.shares("a")
	w.shares("b")
	rule := w.selecting(`{namespaceSelector: {matchLabels: {group: $HOME}}}`, `policy: {retain: [SourceGone]}`)
	w.copiesOf(one, "a", "b")
	w.Ready(rule)
	w.Merge(a, `{"metadata":{"labels":null}}`)
	w.settles()
	w.Exists(a, one, "a", fixture.Anything)
	w.Merge(a, `{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: team=other"}}}`)
	w.copiesOf(one, "b")
}

// Two rules select each other's namespaces: nobody owns the other's copies, and there is silence.
func TestSelectedSelectingCircle(t *testing.T) {
	w := newWorld(t)
	a := w.shares("a")
	_ = w.selecting(`{namespaces: [$AWAY]}`)
	w.Apply(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: $AWAY-back}
spec:
  source: {kind: ConfigMap, namespace: $AWAY, selector: {}}
  destination: {namespaces: [$HOME]}
`)
	copied := w.Exists(a, w.Away, "a", fixture.Anything)
	w.Merge(copied, `{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`)
	w.settles()
	w.Delete(a)
	w.gone(a, w.Away, "a")
	w.settles()
	_, err := w.Get(a, w.Home, "a")
	require.Error(t, err)
}
