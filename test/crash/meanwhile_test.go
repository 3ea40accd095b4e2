package crash_test

import (
	"fmt"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// change is what happens to the world while no operator runs. It must make sense at any time.
type change struct {
	name string
	make func(*world)
}

var nothing = change{"nothing", func(*world) {}}

var changes = []change{
	{"the source is edited", func(w *world) { w.editSource(`{"data":{"color":"violet"}}`) }},
	{"the source is deleted", func(w *world) { w.remove(home) }},
	{"the source is vetoed", func(w *world) { w.editSource(veto) }},
	{"the source permits fewer namespaces", func(w *world) {
		w.editSource(fmt.Sprintf(`{"metadata":{"annotations":{"projection.sh/projectable":"namespaces: kubernetes.io/metadata.name=%s"}}}`, w.name(three)))
	}},
	{"the rule is deleted", func(w *world) { w.Delete(w.rule("rule")) }},
	{"the rule is renamed", func(w *world) {
		if w.selectsSources() { // its copies have the names of their sources
			return
		}
		w.patch(w.rule("rule"), `{"spec":{"destination":{"name":"another","nameExpression":null}}}`)
	}},
	{"the kind is changed", func(w *world) { w.patch(w.rule("rule"), `{"spec":{"source":{"kind":"Secret"}}}`) }},
	{"the rule is suspended", func(w *world) { w.suspend(!w.selectsSources()) }}, // the oracle knows no plan of several sources
	{"copies are deleted", func(w *world) {
		for _, copied := range w.copies(one) {
			w.Delete(copied)
		}
	}},
	{"copies are edited", func(w *world) {
		for _, copied := range w.copies(one) {
			w.patch(copied, `{"data":{"color":null,"theirs-y":"MQ=="},"metadata":{"labels":{"theirs-z":"1"}}}`)
		}
	}},
	{"copies are handed over", func(w *world) {
		for _, copied := range w.copies(one) {
			w.patch(copied, `{"metadata":{"annotations":{"projection.sh/owned-by-projection":null,"projection.sh/owned-by-cluster-projection":null}}}`)
			w.foreign.Note(copied)
		}
	}},
	{"a stranger appears", func(w *world) { w.stranger(one, "renamed") }},
	{"labels move", func(w *world) {
		w.group(one, false)
		w.group(three, true)
	}},
	{"a namespace is deleted", func(w *world) {
		role := one
		if w.tier == v1.KindClusterProjection {
			role = two
		}
		namespace := w.object("Namespace", "", w.name(role))
		namespace.SetNamespace("")
		w.Delete(namespace)
	}},
}

// stranger creates a foreign object, unless an object is there.
func (w *world) stranger(role, name string) {
	w.T.Helper()
	foreign := w.object("ConfigMap", role, name)
	foreign.SetLabels(map[string]string{worldLabel: w.id})
	err := w.Client.Create(w.T.Context(), foreign)
	if apierrors.IsAlreadyExists(err) {
		return
	}
	require.NoError(w.T, err)
	w.foreign[oracle.PlaceOf(foreign)] = foreign
}
