package scale_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

// TestEditOfOneOf500Sources has a rule copy 500 sources into 20 namespaces, and one of them edited.
func TestEditOfOneOf500Sources(t *testing.T) {
	const targets = 20
	w := newWorld(t)
	all := w.members("few", targets)
	names := make([]string, v1.MaxSources)
	shared := map[string]string{"share": "yes"}
	w.each(names, func(ctx context.Context, i int) error {
		names[i] = fmt.Sprintf("wanted-%03d", i) // behind all others: a full page has a continuation if any object follows, also one that does not match
		return w.Client.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: names[i], Labels: shared, Annotations: map[string]string{v1.AnnotationProjectable: "true"}},
			Data:       map[string]string{"color": "red"},
		})
	})
	rule := &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: "selected"},
		Spec: v1.ClusterProjectionSpec{
			Source: v1.SourceRef{Kind: "ConfigMap", Namespace: home, Selector: &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"share": "yes"}}},
			Destination: v1.ClusterProjectionDestination{
				NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "few"}},
			},
		},
	}
	w.create(rule)
	w.counts(rule, targets, 0)
	w.requests(func() {})
	requests := w.requests(func() {
		w.paintBlue(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: home, Name: names[0]}})
		for _, namespace := range all {
			w.turnsBlue(namespace, names[0])
		}
	})
	requests = slices.DeleteFunc(requests, func(r env.Request) bool { // of the rules of other tests, which an operator that has just started serves as well
		return !strings.HasPrefix(r.Name, "wanted-") && !strings.Contains(r.URI, "labelSelector=share")
	})
	assert.Equal(t, targets, count(requests, "patch", "configmaps"), "a write for each copy")
	assert.Equal(t, v1.MaxSources/50, count(requests, "list", "configmaps"), "pages of 50: %v", requests)
	assert.LessOrEqual(t, len(requests), targets+v1.MaxSources/50+2, "%v", requests)
	require.NoError(t, w.Client.Delete(t.Context(), rule))
}
