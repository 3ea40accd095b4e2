package cli

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// watchAgain is how long to wait before something is watched again.
const watchAgain = 5 * time.Second

// watched is a set of objects.
type watched struct {
	resource            schema.GroupVersionResource
	namespace, selector string
}

// watch calls the function whenever a rule, a copy or a namespace may have changed, until the context ends. It reads metadata only.
func (p pages) watch(ctx context.Context, changed func()) {
	for ctx.Err() == nil {
		if cluster, all, err := p.watched(ctx); err == nil {
			var watches sync.WaitGroup
			for _, objects := range all {
				watches.Go(func() { follow(ctx, cluster, objects, changed) })
			}
			watches.Wait()
		}
		pause(ctx, nil, watchAgain)
	}
}

// watched returns the rules, the namespaces and the copies of the kinds that rules have now.
func (p pages) watched(ctx context.Context) (*access.Cluster, []watched, error) {
	cluster, err := access.New(p.flags, p.userAgent())
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
	for _, kind := range kinds {
		for _, ruleKind := range []owner.RuleKind{owner.ClusterProjection, owner.Projection} {
			all = append(all, watched{kind.Resource, p.scope, ruleKind.Label})
		}
	}
	return cluster, all, nil
}

// follow watches objects until the context ends, or the caller may not.
func follow(ctx context.Context, cluster *access.Cluster, objects watched, changed func()) {
	for ctx.Err() == nil {
		err := followOnce(ctx, cluster, objects, changed)
		if access.IsUnknown(err) {
			return
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
