package property_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// newStage returns a driver for a story that is told, not chosen. Its namespaces exist and bear no group.
func newStage(t *testing.T, seed uint64, roles ...string) *driver {
	t.Helper()
	d := newDriver(t, seed)
	for _, role := range roles {
		d.namespace(role)
	}
	return d
}

func (d *driver) namespace(role string) {
	d.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name(role), Labels: d.labels()}}
	require.NoError(d.t, d.client.Create(context.Background(), namespace))
}

// red lets fan-outs select the namespace.
func (d *driver) red(role string) {
	d.t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name(role)}}
	require.NoError(d.t, d.patch(namespace, fmt.Sprintf(`{"metadata":{"labels":{%q:"red"}}}`, groupLabel)))
}

// source puts a ConfigMap that consents.
func (d *driver) source(role, name string) {
	d.t.Helper()
	require.NoError(d.t, d.write(configMap, role, name, "red", false, `"true"`, 1))
}

// fanOut creates a ClusterProjection into the namespaces of the group red, or into those that are listed.
func (d *driver) fanOut(name, role, source string, listed ...string) {
	d.t.Helper()
	rule := &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: d.name(name), Labels: d.labels()}}
	rule.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name(role), Name: source}
	rule.Spec.Destination.Namespaces = listed
	if len(listed) == 0 {
		rule.Spec.Destination.NamespaceSelector = &v1.NamespaceSelector{MatchLabels: map[string]string{worldLabel: d.id, groupLabel: "red"}}
	}
	require.NoError(d.t, d.client.Create(context.Background(), rule))
}

// TestEveryOrderOfSourceRuleNamespaceAndLabel creates what a copy needs in every order.
func TestEveryOrderOfSourceRuleNamespaceAndLabel(t *testing.T) {
	steps := map[string]func(*driver){
		"source":    func(d *driver) { d.source("n1", "a") },
		"rule":      func(d *driver) { d.fanOut("c1", "n1", "a") },
		"namespace": func(d *driver) { d.namespace("n2") },
		"label":     func(d *driver) { d.red("n2") },
	}
	for i, order := range permutations([]string{"source", "rule", "namespace", "label"}) {
		if strings.Index(order, "label") < strings.Index(order, "namespace") {
			continue // there is nothing to label
		}
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			d := newStage(t, uint64(0x1000+i), "n1")
			d.start()
			for step := range strings.SplitSeq(order, ", ") {
				steps[step](d)
				d.quiet()
			}
			state, err := d.state()
			require.NoError(t, err)
			require.Len(t, state.Objects, 2, "the source and its copy")
		})
	}
}

func permutations(items []string) []string {
	if len(items) == 1 {
		return items
	}
	var all []string
	for i, first := range items {
		rest := append(append([]string{}, items[:i]...), items[i+1:]...)
		for _, tail := range permutations(rest) {
			all = append(all, first+", "+tail)
		}
	}
	return all
}
