// Package scenario is what a hub and simulated clusters are furnished with: the RemoteClusters, and rules with what they copy.
package scenario

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/test/fleetsim/sim"
)

const (
	// Secrets is the namespace of the hub with the kubeconfigs.
	Secrets = metav1.NamespaceDefault
	// Apps is the namespace of the clusters with the sources.
	Apps = "apps"
	// Edited is the annotation of sources and copies that an edit changes.
	Edited = "fleetsim.example/edited"

	selected = "fleetsim.example/selected"
	yes      = "yes"
	// hands is how many requests are made to the hub at a time.
	hands = 20
)

// World is a hub with clusters.
type World struct {
	Fleet *sim.Fleet
	// Hub is a client of the hub that knows all kinds of rules.
	Hub client.Client
}

// NewWorld returns the hub that is reached in that way, with the clusters.
func NewWorld(hub *rest.Config, fleet *sim.Fleet) (*World, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	hub = rest.CopyConfig(hub)
	hub.QPS = -1
	c, err := client.New(hub, client.Options{Scheme: scheme})
	return &World{fleet, c}, err
}

// each calls the function for each cluster, for several at a time.
func (w *World) each(ctx context.Context, do func(context.Context, *sim.Cluster) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(hands)
	for _, cluster := range w.Fleet.Clusters {
		group.Go(func() error {
			if err := do(ctx, cluster); err != nil {
				return fmt.Errorf("cluster %s: %w", cluster.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// Declare creates a RemoteCluster for each cluster, with its Secret.
func (w *World) Declare(ctx context.Context) error {
	return w.each(ctx, func(ctx context.Context, cluster *sim.Cluster) error {
		content, err := cluster.KubeConfig()
		if err != nil {
			return err
		}
		if err := w.Hub.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: Secrets, Name: cluster.Name}, Data: map[string][]byte{"kubeconfig": content},
		}); err != nil {
			return err
		}
		return w.Hub.Create(ctx, &v1alpha1.RemoteCluster{
			ObjectMeta: metav1.ObjectMeta{Name: cluster.Name, Labels: map[string]string{selected: yes}},
			Spec: v1alpha1.RemoteClusterSpec{
				Access: v1alpha1.ClusterAccess{Kubeconfig: &v1alpha1.KubeconfigAccess{Secret: cluster.Name}},
			},
		})
	})
}

// Home creates in each cluster the namespace in which the operator holds its lease.
func (w *World) Home() error {
	return w.Fleet.Each(func(_ int, cluster *sim.Cluster) error { return cluster.CreateNamespace("projection-system", nil) })
}

// Pull is rules of the hub that copy objects of the clusters: one rule for each cluster, which selects them all.
type Pull struct {
	*World
	// Objects is how many there are in each cluster.
	Objects int
}

// Target returns the namespace of the hub into which the objects of the cluster are copied.
func (Pull) Target(cluster *sim.Cluster) string { return "from-" + cluster.Name }

// Object returns the name of an object of each cluster.
func (Pull) Object(number int) string { return "config-" + strconv.Itoa(number) }

// Furnish creates the sources and the namespaces of the copies.
func (p Pull) Furnish(ctx context.Context) error {
	return p.each(ctx, func(ctx context.Context, cluster *sim.Cluster) error {
		if err := cluster.CreateNamespace(Apps, nil); err != nil {
			return err
		}
		for i := range p.Objects {
			if err := cluster.Create(&corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: Apps, Name: p.Object(i), Labels: map[string]string{selected: yes},
					Annotations: map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue, v1.AnnotationExportable: v1.ProjectableTrue, Edited: "no"},
				},
				Data: map[string]string{"cluster": cluster.Name, "number": strconv.Itoa(i)},
			}); err != nil {
				return err
			}
		}
		return p.Hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Target(cluster)}})
	})
}

// Project creates the rule for the cluster.
func (p Pull) Project(ctx context.Context, cluster *sim.Cluster) error {
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

// Edit annotates the first object of each of the clusters with a text, which travels to its copy.
func (p Pull) Edit(_ context.Context, clusters []*sim.Cluster, text string) error {
	at := types.NamespacedName{Namespace: Apps, Name: p.Object(0)}
	for _, cluster := range clusters {
		if err := cluster.Edit(corev1.SchemeGroupVersion.WithResource("configmaps"), at, func(object runtime.Object) {
			if edited, ok := object.(*corev1.ConfigMap); ok {
				edited.Annotations[Edited] = text
			}
		}); err != nil {
			return err
		}
	}
	return nil
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
