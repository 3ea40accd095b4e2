package clusterprojection_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/clusterprojection"
)

// BenchmarkTargets selects 5,000 of 10,000 namespaces.
func BenchmarkTargets(b *testing.B) {
	known := &cached{}
	for i := range 10_000 {
		known.items = append(known.items, metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("namespace-%05d", i), Labels: map[string]string{"member": []string{"yes", "no"}[i%2]},
		}})
	}
	rule := &v1.ClusterProjection{Spec: v1.ClusterProjectionSpec{Destination: v1.ClusterProjectionDestination{
		NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]v1.LabelValue{"member": "yes"}},
	}}}
	namespaces := clusterprojection.NewNamespaces(known, []string{"kube-system"}, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		targets, err := namespaces.Targets(b.Context(), rule)
		if err != nil || len(targets) != 5000 {
			b.Fatalf("%d targets: %v", len(targets), err)
		}
	}
}

// cached is a cache that is asked for namespaces only.
type cached struct {
	client.Reader
	items []metav1.PartialObjectMetadata
}

func (c *cached) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	list, ok := into.(*metav1.PartialObjectMetadataList)
	if !ok {
		return fmt.Errorf("a %T is asked for", into)
	}
	list.Items = slices.Clone(c.items)
	return nil
}
