package crash_test

import (
	"encoding/json"
	"fmt"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

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

// suspendedAndEdited is a suspended rule whose copies would be renamed.
func suspendedAndEdited(w *world) {
	sourceAndRule(w)
	w.settles()
	w.patch(w.rule("rule"), `{"spec":{"suspend":true,"destination":{"name":"renamed"}}}`)
}

// suspend suspends the rule, if it is there, or resumes it.
func (w *world) suspend(suspended bool) {
	w.T.Helper()
	w.patch(w.rule("rule"), fmt.Sprintf(`{"spec":{"suspend":%t}}`, suspended))
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

// creating is a source, and a rule whose copies keep their content.
func creating(w *world) {
	sourceAndRule(w)
	w.patch(w.rule("rule"), `{"spec":{"policy":{"updates":"CreateOnly"}}}`)
}

// authored is a source, and a rule that is served in the name of a service account.
func authored(w *world) {
	sourceAndRule(w)
	w.author("writer")
}

// nameBy has an expression name the copies of the rule.
func (w *world) nameBy(expression string) {
	w.T.Helper()
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"destination": map[string]any{"name": nil, "nameExpression": expression}}})
	require.NoError(w.T, err)
	w.patch(w.rule("rule"), string(patch))
}

// team sets the label of a namespace by which oracle.NameByTeam names copies.
func (w *world) team(role, team string) {
	w.T.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.name(role)}}
	w.patch(namespace, fmt.Sprintf(`{"metadata":{"labels":{"team":%q}}}`, team))
}

// setFields has the rule set these fields.
func (w *world) setFields(fields ...v1.OverlayField) {
	encoded, err := json.Marshal(fields)
	require.NoError(w.T, err)
	w.patch(w.rule("rule"), `{"spec":{"overlay":{"fields":`+string(encoded)+`}}}`)
}
