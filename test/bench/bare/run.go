package bare

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
)

// Words between the bare client and whoever runs it.
const (
	// Ready is the line it writes when it follows.
	Ready = "ready"
	// Heal is the line it reads when deleted copies are to come back. Until then, it does not watch copies.
	Heal = "heal"
)

// Kind is a kind of source.
type Kind struct {
	schema.GroupVersionResource
	Kind string
}

// Run follows all rules whose source is of these kinds until the context or the input ends.
func Run(ctx context.Context, config *rest.Config, kinds []Kind, concurrency int, input io.Reader, output io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := newClient(config, concurrency)
	if err != nil {
		return err
	}
	if err := c.open(ctx, kinds); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(output, Ready); err != nil {
		return err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(input); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-c.failed:
			return err
		case line, open := <-lines:
			if !open {
				return nil
			}
			if line != Heal {
				return fmt.Errorf("the bare client does not know what %q means", line)
			}
			if err := c.heal(ctx, kinds); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(output, Ready); err != nil {
				return err
			}
		}
	}
}

// open watches namespaces, sources and rules. Each watch begins with what there is.
func (c *client) open(ctx context.Context, kinds []Kind) error {
	namespaces, err := c.metadata.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	go drain(ctx, c, namespaces, c.namespaceEvent)
	for _, kind := range kinds {
		sources, err := c.dynamic.Resource(kind.GroupVersionResource).Watch(ctx, metav1.ListOptions{LabelSelector: "!" + Label})
		if err != nil {
			return err
		}
		go drain(ctx, c, sources, func(ctx context.Context, event watch.EventType, source *unstructured.Unstructured) {
			c.sourceEvent(ctx, kind.GroupVersionResource, event, source)
		})
	}
	for _, resource := range []string{"projections", "clusterprojections"} {
		rules, err := c.dynamic.Resource(v1.GroupVersion.WithResource(resource)).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		go drain(ctx, c, rules, c.ruleEvent)
	}
	return nil
}

// heal watches copies from now on.
func (c *client) heal(ctx context.Context, kinds []Kind) error {
	for _, kind := range kinds {
		objects := c.metadata.Resource(kind.GroupVersionResource)
		list, err := objects.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return err
		}
		copies, err := objects.Watch(ctx, metav1.ListOptions{LabelSelector: Label, ResourceVersion: list.ResourceVersion})
		if err != nil {
			return err
		}
		go drain(ctx, c, copies, func(ctx context.Context, event watch.EventType, copied *metav1.PartialObjectMetadata) {
			c.copyEvent(ctx, schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, event, copied)
		})
	}
	return nil
}

// drain hands on what a watch brings. A watch that ends while it is needed is a failure.
func drain[O any](ctx context.Context, c *client, events watch.Interface, handle func(context.Context, watch.EventType, O)) {
	for event := range events.ResultChan() {
		if object, ok := event.Object.(O); ok {
			handle(ctx, event.Type, object)
		}
	}
	if ctx.Err() == nil {
		c.fail(errors.New("a watch has ended"))
	}
}
