// Package scenario is what a hub and simulated clusters are furnished with: the RemoteClusters, and rules with what they copy.
package scenario

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
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
	// Apps is the namespace of the sources, in the clusters or in the hub.
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

// Remove deletes the rules, and then the RemoteClusters and their Secrets. It waits until they do not exist any more, for which an operator has to run.
func (w *World) Remove(ctx context.Context) error {
	rules, remotes := &v1.ClusterProjectionList{}, &v1alpha1.RemoteClusterList{}
	if err := w.remove(ctx, &v1.ClusterProjection{}, rules, func() int { return len(rules.Items) }); err != nil {
		return err
	}
	if err := w.remove(ctx, &v1alpha1.RemoteCluster{}, remotes, func() int { return len(remotes.Items) }); err != nil {
		return err
	}
	return w.each(ctx, func(ctx context.Context, cluster *sim.Cluster) error {
		return w.Hub.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: Secrets, Name: cluster.Name}})
	})
}

// remove deletes all objects of a kind, and waits until a list has none.
func (w *World) remove(ctx context.Context, kind client.Object, list client.ObjectList, count func() int) error {
	if err := w.Hub.DeleteAllOf(ctx, kind); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := w.Hub.List(ctx, list)
		return err == nil && count() == 0, err
	})
}

// Home creates in each cluster the namespace in which the operator holds its lease.
func (w *World) Home() error {
	return w.Fleet.Each(func(_ int, cluster *sim.Cluster) error { return cluster.CreateNamespace("projection-system", nil) })
}

// Object returns the name of one of the sources.
func Object(number int) string { return "config-" + strconv.Itoa(number) }

// source returns a source whose owner consents.
func source(name, from string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Apps, Name: name, Labels: map[string]string{selected: yes},
			Annotations: map[string]string{v1.AnnotationProjectable: v1.ProjectableTrue, v1.AnnotationExportable: v1.ProjectableTrue, Edited: "no"},
		},
		Data: map[string]string{"from": from, "name": name},
	}
}

// annotate changes an object of the cluster.
func annotate(cluster *sim.Cluster, number int, text string) error {
	return cluster.Edit(configMaps, at(number), func(object runtime.Object) {
		if edited, ok := object.(*corev1.ConfigMap); ok {
			edited.Annotations[Edited] = text
		}
	})
}

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

func at(number int) types.NamespacedName {
	return types.NamespacedName{Namespace: Apps, Name: Object(number)}
}
