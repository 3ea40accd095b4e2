package app

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/rights"
)

// needed returns the permissions that the rules of both kinds need in another cluster.
func (w *wiring) needed(mapper meta.RESTMapper) remotecluster.Needed {
	return func(ctx context.Context, remote *v1alpha1.RemoteCluster) (all []authorizationv1.ResourceAttributes, err error) {
		var uses []rights.Use
		for _, projector := range w.projectors {
			err := projector.EachRemoteSource(ctx, remote.Name, func(namespace string, source v1.SourceRef) {
				uses = append(uses, rights.Use{
					Direction: v1alpha1.Pull, RuleNamespace: namespace, Kind: source.GroupKind(), Namespace: source.Namespace, Name: source.Name,
				})
			})
			if err != nil {
				return nil, err
			}
		}
		if w.push != nil {
			pushed, err := w.push.Uses(ctx, remote)
			if err != nil {
				return nil, err
			}
			uses = append(uses, pushed...)
		}
		for _, grant := range rights.Required(remote, resourceBy(mapper), uses...) {
			all = append(all, grant.Attributes()...)
		}
		return all, nil
	}
}

// resourceBy returns the resource of a kind. Where the mapper does not know the kind, it is what kinds are usually served as.
func resourceBy(mapper meta.RESTMapper) rights.Resolver {
	return func(kind schema.GroupKind) schema.GroupResource {
		if mapping, err := mapper.RESTMapping(kind); err == nil {
			return mapping.Resource.GroupResource()
		}
		plural, _ := meta.UnsafeGuessKindToResource(kind.WithVersion(""))
		return plural.GroupResource()
	}
}

// followRules tells the clusters when a rule of either kind reads something else there.
func (w *wiring) followRules(ctx context.Context, informers cache.Informers) error {
	for _, rule := range []client.Object{&v1.Projection{}, &v1.ClusterProjection{}} {
		informer, err := informers.GetInformer(ctx, rule, cache.BlockUntilSynced(false))
		if err != nil {
			return fmt.Errorf("watch the rules: %w", err)
		}
		if _, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: func(added any) {
				w.readsElse(v1.SourceRef{}, sourceOf(added))
				w.writesElse(added)
			},
			UpdateFunc: func(before, after any) {
				w.readsElse(sourceOf(before), sourceOf(after))
				if !sameDestination(before, after) {
					w.writesElse(before, after)
				}
			},
			DeleteFunc: func(deleted any) {
				w.readsElse(sourceOf(deleted), v1.SourceRef{})
				w.writesElse(deleted)
			},
		}); err != nil {
			return err
		}
	}
	return nil
}

// sameDestination reports whether two versions of a rule have the same destination.
func sameDestination(before, after any) bool {
	was, isCluster := before.(*v1.ClusterProjection)
	is, isClusterNow := after.(*v1.ClusterProjection)
	return !isCluster || !isClusterNow || was.Generation == is.Generation || equality.Semantic.DeepEqual(was.Spec.Destination, is.Spec.Destination)
}

// writesElse tells the clusters of a rule, as it was and is, that it may write something else there than before.
func (w *wiring) writesElse(versions ...any) {
	for _, version := range versions {
		if of, ok := version.(*v1.ClusterProjection); ok && of.Spec.Destination.Clusters != nil && w.push != nil {
			w.push.EachTarget(of, w.remotes.RulesChanged)
		}
	}
}

// sourceOf returns the source of a rule in an event.
func sourceOf(object any) v1.SourceRef {
	if deleted, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = deleted.Obj
	}
	if rule, ok := object.(interface{ GetSource() v1.SourceRef }); ok {
		return rule.GetSource()
	}
	return v1.SourceRef{}
}

// readsElse tells the clusters of a rule if it reads something else there than before.
func (w *wiring) readsElse(before, after v1.SourceRef) {
	isSame := before.Cluster == after.Cluster && before.GroupKind() == after.GroupKind() && before.Namespace == after.Namespace && before.Name == after.Name
	if isSame {
		return
	}
	for _, each := range []v1.SourceRef{before, after} {
		if each.IsRemote() {
			w.remotes.RulesChanged(each.Cluster)
		}
	}
}
