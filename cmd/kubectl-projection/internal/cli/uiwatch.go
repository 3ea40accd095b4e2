package cli

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
	"projection.sh/operator/components/owner"
)

// watchAgain is how long to wait before something is watched again.
const watchAgain = 5 * time.Second

// watched is a set of objects.
type watched struct {
	resource            schema.GroupVersionResource
	namespace, selector string
	// isOptional reports whether it is as well if the API server does not serve them.
	isOptional bool
	// scope is the namespace to which it is narrowed if the caller may not watch all of them; empty: it is not.
	scope string
}

// String names the objects that the caller may not watch.
func (w watched) String() string {
	name := w.resource.GroupResource().String()
	if w.selector != "" {
		name = "copies in " + name
	}
	switch {
	case w.namespace != "":
		return name + " of the namespace " + w.namespace
	case w.scope != "":
		return name + " of other namespaces"
	default:
		return name
	}
}

// watch says whenever a rule, a copy, a namespace or a RemoteCluster may have changed, until the context ends. It reads metadata only.
func (p pages) watch(ctx context.Context, news ui.News) {
	for ctx.Err() == nil {
		cluster, all, err := p.watched(ctx)
		if err != nil {
			pause(ctx, nil, watchAgain)
			continue
		}
		var watches sync.WaitGroup
		for _, objects := range all {
			watches.Go(func() { follow(ctx, cluster, objects, news) })
		}
		watches.Wait() // for the context to end, unless the caller may watch nothing
		<-ctx.Done()
	}
}

// watched returns the rules, the namespaces, the RemoteClusters, unless the operator connects to none, and the copies of the kinds that rules have now.
func (p pages) watched(ctx context.Context) (*access.Cluster, []watched, error) {
	cluster, settings, err := p.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	rules, err := cluster.Rules(ctx, p.scope, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	kinds, err := kindsOfCopies(cluster.Mapper, rules.Items)
	if err != nil {
		return nil, nil, err
	}
	all := []watched{
		{resource: access.ClusterProjections}, {resource: access.Projections, namespace: p.scope},
		{resource: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
	}
	if !settings.Known || settings.RemoteClusters {
		all = append(all, watched{resource: access.RemoteClusters, isOptional: true})
	}
	for _, kind := range kinds {
		all = append(all, watched{resource: kind.Resource, selector: owner.ClusterProjection.Label, scope: p.scope},
			watched{resource: kind.Resource, selector: owner.Projection.Label, namespace: p.scope})
	}
	return cluster, all, nil
}

// follow watches objects until the context ends, or the caller may not.
func follow(ctx context.Context, cluster *access.Cluster, objects watched, news ui.News) {
	for ctx.Err() == nil {
		err := followOnce(ctx, cluster, objects, func() { news.Changed(objects.String()) })
		if access.IsUnknown(err) {
			news.Hidden(objects.String())
			if objects.namespace != "" || objects.scope == "" {
				return
			}
			objects.namespace = objects.scope
			continue
		}
		if objects.isOptional && apierrors.IsNotFound(err) {
			return
		}
		if err != nil && ctx.Err() == nil {
			news.Failed(objects.String())
		}
		pause(ctx, nil, watchAgain)
	}
}

func followOnce(ctx context.Context, cluster *access.Cluster, objects watched, changed func()) error {
	resource := cluster.Metadata.Resource(objects.resource).Namespace(objects.namespace)
	now, err := resource.List(ctx, metav1.ListOptions{LabelSelector: objects.selector, Limit: 1})
	if err != nil {
		return err
	}
	events, err := resource.Watch(ctx, metav1.ListOptions{LabelSelector: objects.selector, ResourceVersion: now.ResourceVersion})
	if err != nil {
		return err
	}
	defer events.Stop()
	changed() // something may have been missed before
	for event := range events.ResultChan() {
		if event.Type == watch.Error {
			return nil // it is watched again
		}
		changed()
	}
	return nil
}
