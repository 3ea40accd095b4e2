package bare

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// client follows rules.
type client struct {
	dynamic  dynamic.Interface
	metadata metadata.Interface
	writes   chan func() error
	failed   chan error

	mu         sync.Mutex
	resources  map[schema.GroupKind]schema.GroupVersionResource
	rules      map[place][]*rule // by source
	sources    map[place]*unstructured.Unstructured
	namespaces map[string]map[string]string // labels by name
	copies     map[place]*rule
}

// backlog is more writes than ever wait. Whoever hears of a change goes on listening.
const backlog = 100_000

func newClient(config *rest.Config) (*client, error) {
	c := &client{
		writes:     make(chan func() error, backlog),
		failed:     make(chan error, 1),
		resources:  map[schema.GroupKind]schema.GroupVersionResource{},
		rules:      map[place][]*rule{},
		sources:    map[place]*unstructured.Unstructured{},
		namespaces: map[string]map[string]string{},
		copies:     map[place]*rule{},
	}
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	if c.dynamic, err = dynamic.NewForConfigAndClient(config, http); err != nil {
		return nil, err
	}
	c.metadata, err = metadata.NewForConfigAndClient(config, http)
	return c, err
}

// ruleEvent copies the source of a new rule, or waits for it.
func (c *client) ruleEvent(ctx context.Context, event watch.EventType, object *unstructured.Unstructured) {
	if event != watch.Added {
		return
	}
	r := read(object)
	c.mu.Lock()
	c.rules[r.source] = append(c.rules[r.source], r)
	source, targets := c.sources[r.source], c.targets(r)
	c.mu.Unlock()
	if source != nil {
		c.applyTo(ctx, source, r, targets)
	}
}

// sourceEvent copies a source anew, unless only its status has changed.
func (c *client) sourceEvent(ctx context.Context, resource schema.GroupVersionResource, event watch.EventType, source *unstructured.Unstructured) {
	at := place{source.GroupVersionKind().GroupKind(), types.NamespacedName{Namespace: source.GetNamespace(), Name: source.GetName()}}
	c.mu.Lock()
	before := c.sources[at]
	c.resources[at.kind], c.sources[at] = resource, source
	rules := slices.Clone(c.rules[at])
	targets := make([][]string, len(rules))
	for i, r := range rules {
		targets[i] = c.targets(r)
	}
	c.mu.Unlock()
	if event == watch.Deleted || sameContent(before, source) {
		return
	}
	for i, r := range rules {
		c.applyTo(ctx, source, r, targets[i])
	}
}

// namespaceEvent gives a namespace its copies when it gains the label, and takes them away when it loses it.
func (c *client) namespaceEvent(ctx context.Context, event watch.EventType, namespace *metav1.PartialObjectMetadata) {
	type change struct {
		rule   *rule
		source *unstructured.Unstructured
		gained bool
	}
	var changes []change
	after := namespace.Labels
	if event == watch.Deleted {
		after = nil
	}
	c.mu.Lock()
	before := c.namespaces[namespace.Name]
	c.namespaces[namespace.Name] = after
	for _, rules := range c.rules {
		for _, r := range rules {
			if was, is := r.selects(before), r.selects(after); was != is && c.sources[r.source] != nil {
				changes = append(changes, change{r, c.sources[r.source], is})
			}
		}
	}
	c.mu.Unlock()
	for _, change := range changes {
		if change.gained {
			c.applyTo(ctx, change.source, change.rule, []string{namespace.Name})
		} else {
			c.remove(ctx, change.rule, namespace.Name)
		}
	}
}

// copyEvent writes a copy again that was deleted.
func (c *client) copyEvent(ctx context.Context, kind schema.GroupKind, event watch.EventType, copied *metav1.PartialObjectMetadata) {
	if event != watch.Deleted {
		return
	}
	c.mu.Lock()
	r := c.copies[place{kind, types.NamespacedName{Namespace: copied.Namespace, Name: copied.Name}}]
	var source *unstructured.Unstructured
	if r != nil {
		source = c.sources[r.source]
	}
	c.mu.Unlock()
	if source != nil {
		c.applyTo(ctx, source, r, []string{copied.Namespace})
	}
}

// targets needs the lock.
func (c *client) targets(r *rule) []string {
	if r.selected == nil {
		return r.listed
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.namespaces)) {
		if r.selects(c.namespaces[name]) {
			names = append(names, name)
		}
	}
	return names
}

func (c *client) applyTo(ctx context.Context, source *unstructured.Unstructured, r *rule, namespaces []string) {
	body, err := newIntent(source, r)
	if err != nil {
		c.fail(err)
		return
	}
	c.mu.Lock()
	objects := c.metadata.Resource(c.resources[r.source.kind])
	for _, namespace := range namespaces {
		c.copies[place{r.source.kind, types.NamespacedName{Namespace: namespace, Name: r.copyName}}] = r
	}
	c.mu.Unlock()
	for _, namespace := range namespaces {
		c.writes <- func() error {
			_, err := objects.Namespace(namespace).Patch(ctx, r.copyName, types.ApplyPatchType, body.in(namespace),
				metav1.PatchOptions{FieldManager: r.manager(), Force: new(true)})
			return err
		}
	}
}

func (c *client) remove(ctx context.Context, r *rule, namespace string) {
	c.mu.Lock()
	objects := c.metadata.Resource(c.resources[r.source.kind])
	delete(c.copies, place{r.source.kind, types.NamespacedName{Namespace: namespace, Name: r.copyName}})
	c.mu.Unlock()
	c.writes <- func() error { return objects.Namespace(namespace).Delete(ctx, r.copyName, metav1.DeleteOptions{}) }
}

// work writes until the context ends.
func (c *client) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case write := <-c.writes:
			c.fail(write())
		}
	}
}

// fail keeps the first error.
func (c *client) fail(err error) {
	if err == nil {
		return
	}
	select {
	case c.failed <- fmt.Errorf("the bare client: %w", err):
	default:
	}
}
