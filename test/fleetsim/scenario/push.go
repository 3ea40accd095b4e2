package scenario

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/fleetsim/sim"
)

// Push is rules of the hub that copy objects of the hub: one rule for each object, which selects all clusters. Besides, there is one rule that names the
// first two clusters.
type Push struct {
	*World
	// Objects is how many objects are copied into all clusters.
	Objects int
}

// Furnish creates the sources, the namespaces of the copies and the rule that names two clusters.
func (p Push) Furnish(ctx context.Context) error {
	if err := p.Fleet.Each(func(_ int, cluster *sim.Cluster) error { return cluster.CreateNamespace(Apps, nil) }); err != nil {
		return err
	}
	if err := p.Hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Apps}}); err != nil {
		return err
	}
	for i := range p.Objects + 1 {
		if err := p.Hub.Create(ctx, source(Object(i), "hub")); err != nil {
			return err
		}
	}
	return p.Hub.Create(ctx, p.rule(p.Objects, v1.ClusterTargets{Names: []v1.ClusterName{
		p.Fleet.Clusters[0].Name, p.Fleet.Clusters[1].Name,
	}}))
}

// Rules returns how many rules there are that select all clusters, and how many copies each has.
func (p Push) Rules() (rules, copies int) { return p.Objects, len(p.Fleet.Clusters) }

// Project creates the rule for the object of that number.
func (p Push) Project(ctx context.Context, number int) error {
	return p.Hub.Create(ctx, p.rule(number, v1.ClusterTargets{Selector: &v1.ClusterSelector{MatchLabels: map[string]v1.LabelValue{selected: yes}}}))
}

func (Push) rule(number int, clusters v1.ClusterTargets) *v1.ClusterProjection {
	return &v1.ClusterProjection{
		ObjectMeta: metav1.ObjectMeta{Name: Object(number)},
		Spec: v1.ClusterProjectionSpec{
			Source:      v1.SourceRef{Kind: "ConfigMap", Namespace: Apps, Name: Object(number)},
			Destination: v1.ClusterProjectionDestination{Namespaces: []v1.NamespaceName{Apps}, Clusters: &clusters},
		},
	}
}

// Edit annotates the first object with a text, which travels to its copy in each cluster.
func (p Push) Edit(ctx context.Context, text string) error { return p.edit(ctx, 0, text) }

// EditOne annotates the object that has copies in two clusters.
func (p Push) EditOne(ctx context.Context, text string) error { return p.edit(ctx, p.Objects, text) }

func (p Push) edit(ctx context.Context, number int, text string) error {
	object := source(Object(number), "hub")
	object.Annotations[Edited] = text
	return p.Hub.Update(ctx, object)
}

// Shows reports in how many clusters the copy of the object has the text.
func (p Push) Shows(number int, text string) int {
	shown := 0
	for _, cluster := range p.Fleet.Clusters {
		object, err := cluster.Get(configMaps, at(number))
		if copied, ok := object.(*corev1.ConfigMap); err == nil && ok && copied.Annotations[Edited] == text {
			shown++
		}
	}
	return shown
}

// Overwrite has another writer change the first copy in the cluster.
func (Push) Overwrite(cluster *sim.Cluster, text string) error { return annotate(cluster, 0, text) }
