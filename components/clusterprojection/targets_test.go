package clusterprojection_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/plan"
)

// TestTargetsInOtherClusters has a rule have no target here whose copies are to be in other clusters.
func TestTargetsInOtherClusters(t *testing.T) {
	known := &cached{items: []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "one"}}}}
	rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Destination: v1.ClusterProjectionDestination{
		NamespaceSelector: &v1.NamespaceSelector{}, Clusters: &v1.ClusterTargets{Selector: &v1.ClusterSelector{}},
	}}}
	targets, err := clusterprojection.NewNamespaces(known, nil, nil, nil).Targets(t.Context(), rule)
	require.NoError(t, err)
	assert.Empty(t, targets)
}

// Which namespaces are targets, if "ending" is being deleted, and what those are told that cannot have a copy.
func TestTargets(t *testing.T) {
	const (
		missing = "the namespace does not exist; the copy follows when it does"
		ending  = "the namespace is being deleted; the copy follows when it exists again"
	)
	known := &cached{}
	for _, name := range []string{"one", "ending", "kube-system", "home"} {
		namespace := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "7"}}
		if name == "ending" {
			namespace.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		known.items = append(known.items, namespace)
	}
	tests := map[string]struct {
		destination v1.ClusterProjectionDestination
		targets     []plan.Target
	}{
		"a selector": {
			v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{}},
			[]plan.Target{{Namespace: "one", Selected: true, Version: "7"}},
		},
		"a selector, with another name for the copies": {
			v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{}, Name: "shared"},
			[]plan.Target{{Namespace: "home", Selected: true, Version: "7"}, {Namespace: "one", Selected: true, Version: "7"}},
		},
		"a list": {
			v1.ClusterProjectionDestination{Namespaces: []string{"zero", "one", "kube-system", "ending"}},
			[]plan.Target{
				{Namespace: "ending", Blocked: ending}, {Namespace: "kube-system", Version: "7"}, {Namespace: "one", Version: "7"},
				{Namespace: "zero", Blocked: missing},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{
				Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}, Destination: test.destination,
			}}
			targets, err := clusterprojection.NewNamespaces(known, []string{"kube-system"}, nil, nil).Targets(t.Context(), rule)
			require.NoError(t, err)
			assert.Equal(t, test.targets, targets)
		})
	}
}

func TestNamespaceOfALayerIsNotSelected(t *testing.T) {
	known := &cached{}
	for _, name := range []string{"one", "two"} {
		known.items = append(known.items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	for name, test := range map[string]struct {
		layer v1.Layer
		kind  string
		count int
	}{
		"in the place of a copy": {v1.Layer{Namespace: "one", Name: "merged"}, "", 1},
		"of another name":        {v1.Layer{Namespace: "one", Name: "other"}, "", 2},
		"of another kind":        {v1.Layer{Kind: "Secret", Namespace: "one", Name: "merged"}, "", 2},
		"of the copies' kind":    {v1.Layer{Kind: "Secret", Namespace: "one", Name: "merged"}, "Secret", 1},
	} {
		rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"},
			Merge:       &v1.Merge{Layers: []v1.Layer{test.layer}},
			Destination: v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{}, Name: "merged", Kind: test.kind},
		}}
		targets, err := clusterprojection.NewNamespaces(known, nil, nil, nil).Targets(t.Context(), rule)
		require.NoError(t, err)
		assert.Len(t, targets, test.count, name)
	}
}

func TestRuleWithoutTargetsIsToldOfHowManyNamespaces(t *testing.T) {
	known := &cached{}
	for _, name := range []string{"one", "two", "ending"} {
		namespace := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == "ending" {
			namespace.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		known.items = append(known.items, namespace)
	}
	assert.Equal(t, "namespaceSelector matches none of 2 namespaces; compare it with kubectl get namespaces --show-labels",
		clusterprojection.NewNamespaces(known, nil, nil, nil).Unmatched(t.Context(), &v1.ClusterProjection{}))
}
