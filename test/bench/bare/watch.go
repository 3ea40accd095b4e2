package bare

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	v1 "projection.sh/operator/api/v1"
)

// open watches namespaces, sources and rules, beginning with what there is.
func (c *client) open(ctx context.Context, kinds []Kind) error {
	namespaces := c.metadata.Resource(corev1.SchemeGroupVersion.WithResource("namespaces"))
	if err := follow(ctx, c, namespaces.List, namespaces.Watch, "", c.namespaceEvent); err != nil {
		return err
	}
	for _, kind := range kinds {
		sources := c.dynamic.Resource(kind.GroupVersionResource)
		err := follow(ctx, c, sources.List, sources.Watch, "!"+Label,
			func(ctx context.Context, event watch.EventType, source *unstructured.Unstructured) {
				c.sourceEvent(ctx, kind.GroupVersionResource, event, source)
			})
		if err != nil {
			return err
		}
	}
	for _, resource := range []string{"projections", "clusterprojections"} {
		rules := c.dynamic.Resource(v1.GroupVersion.WithResource(resource))
		if err := follow(ctx, c, rules.List, rules.Watch, "", c.ruleEvent); err != nil {
			return err
		}
	}
	return nil
}

// heal watches copies.
func (c *client) heal(ctx context.Context, kinds []Kind) error {
	for _, kind := range kinds {
		copies := c.metadata.Resource(kind.GroupVersionResource)
		err := follow(ctx, c, copies.List, copies.Watch, Label,
			func(ctx context.Context, event watch.EventType, copied *metav1.PartialObjectMetadata) {
				c.copyEvent(ctx, schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, event, copied)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// follow hands on what there is, and then every change.
func follow[L interface {
	runtime.Object
	metav1.ListInterface
}, O any](
	ctx context.Context, c *client,
	list func(context.Context, metav1.ListOptions) (L, error),
	open func(context.Context, metav1.ListOptions) (watch.Interface, error),
	selector string, handle func(context.Context, watch.EventType, O),
) error {
	present, err := list(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	err = meta.EachListItem(present, func(item runtime.Object) error {
		object, ok := item.(O)
		if !ok {
			return fmt.Errorf("a list holds a %T", item)
		}
		handle(ctx, watch.Added, object)
		return nil
	})
	if err != nil {
		return err
	}
	// An API server that is short of CPU ends watches that do not keep up. They go on where they were.
	events, err := watchtools.NewRetryWatcherWithContext(ctx, present.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = selector
			return open(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	go func() {
		for event := range events.ResultChan() {
			if object, ok := event.Object.(O); ok {
				handle(ctx, event.Type, object)
			}
		}
		if ctx.Err() == nil {
			c.fail(errors.New("a watch has ended"))
		}
	}()
	return nil
}
