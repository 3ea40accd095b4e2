package scenario

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/fleetsim/sim"
)

// Pull is rules of the hub that copy objects of the clusters: one rule for each cluster, which selects them all.
type Pull struct {
	*World
	// Objects is how many there are in each cluster.
	Objects int
}

// Target returns the namespace of the hub into which the objects of the cluster are copied.
func (Pull) Target(cluster *sim.Cluster) string { return "from-" + cluster.Name }

// Furnish creates the sources and the namespaces of the copies.
func (p Pull) Furnish(ctx context.Context) error {
	return p.each(ctx, func(ctx context.Context, cluster *sim.Cluster) error {
		if err := cluster.CreateNamespace(Apps, nil); err != nil {
			return err
		}
		for i := range p.Objects {
			if err := cluster.Create(source(Object(i), cluster.Name)); err != nil {
				return err
			}
		}
		return p.Hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Target(cluster)}})
	})
}

// Rules returns how many rules there are, and how many copies each has.
func (p Pull) Rules() (rules, copies int) { return len(p.Fleet.Clusters), p.Objects }

// Project creates the rule for the cluster of that number.
func (p Pull) Project(ctx context.Context, number int) error {
	cluster := p.Fleet.Clusters[number]
	return p.Hub.Create(ctx, &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: cluster.Name},
		Spec: v1.ClusterProjectionSpec{
			Source: v1.SourceRef{
				Cluster: cluster.Name, Kind: "ConfigMap", Namespace: Apps,
				Selector: &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{selected: yes}},
			},
			Destination: v1.ClusterProjectionDestination{Namespaces: []v1.NamespaceName{p.Target(cluster)}},
		},
	})
}

// Edit annotates the first object of each cluster with a text, which travels to its copy.
func (p Pull) Edit(_ context.Context, text string) error {
	return p.Fleet.Each(func(_ int, cluster *sim.Cluster) error { return annotate(cluster, 0, text) })
}

// EditOne annotates the first object of the second cluster.
func (p Pull) EditOne(_ context.Context, text string) error {
	return annotate(p.Fleet.Clusters[1], 0, text)
}

// Shows reports how many copies in the hub have the text.
func (p Pull) Shows(ctx context.Context, text string) (int, error) {
	copies := &metav1.PartialObjectMetadataList{}
	copies.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	if err := p.Hub.List(ctx, copies, client.HasLabels{v1.LabelOwnedByClusterProjectionUID}); err != nil {
		return 0, err
	}
	shown := 0
	for i := range copies.Items {
		if copies.Items[i].Annotations[Edited] == text {
			shown++
		}
	}
	return shown, nil
}
