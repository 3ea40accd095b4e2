package remotecluster

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// secretWatches watch the metadata of the Secrets that RemoteClusters name, and of no other. They are safe for concurrent use.
type secretWatches struct {
	client    metadata.Interface
	namespace string
	changed   func(remote string) // must not block

	mu      sync.Mutex
	follows map[string]string       // from RemoteClusters to the Secrets that they name
	watches map[string]*secretWatch // by the names of the Secrets
	running sync.WaitGroup
	closed  bool
}

// secretWatch is the watch of one Secret.
type secretWatch struct {
	cancel  context.CancelFunc
	seen    bool   // something was received
	version string // the last that was received; empty: it was deleted
}

func newSecretWatches(client metadata.Interface, namespace string, changed func(remote string)) *secretWatches {
	return &secretWatches{client: client, namespace: namespace, changed: changed, follows: map[string]string{}, watches: map[string]*secretWatch{}}
}

// follow watches the Secret for the RemoteCluster, and no longer the one that it named before; empty: it names none.
func (w *secretWatches) follow(ctx context.Context, remote, secret string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	former := w.follows[remote]
	if former == secret || w.closed {
		return
	}
	delete(w.follows, remote)
	if watch := w.watches[former]; watch != nil && len(w.followers(former)) == 0 {
		watch.cancel()
		delete(w.watches, former)
	}
	if secret == "" {
		return
	}
	w.follows[remote] = secret
	if w.watches[secret] == nil {
		w.watches[secret] = w.watch(ctx, secret)
	}
}

// followers returns the RemoteClusters that name the Secret. The lock is held.
func (w *secretWatches) followers(secret string) []string {
	var names []string
	for remote, named := range w.follows {
		if named == secret {
			names = append(names, remote)
		}
	}
	slices.Sort(names)
	return names
}

// isLatest reports whether nothing but this version of the Secret was received since it was read.
func (w *secretWatches) isLatest(secret, version string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	watch := w.watches[secret]
	return watch != nil && (!watch.seen || watch.version == version)
}

// watch opens the watch of the Secret. The lock is held.
func (w *secretWatches) watch(ctx context.Context, secret string) *secretWatch {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	watch := &secretWatch{cancel: cancel}
	name := "the Secret " + secret
	reflector := cache.NewReflectorWithOptions(w.source(secret), &metav1.PartialObjectMetadata{}, secretVersions{w, secret, watch},
		cache.ReflectorOptions{Name: name, TypeDescription: name})
	w.running.Go(func() { reflector.RunWithContext(ctx) })
	return watch
}

// source lists and watches the metadata of the Secret.
func (w *secretWatches) source(secret string) *cache.ListWatch {
	client := w.client.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(w.namespace)
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, secret).String()
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return client.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return client.Watch(ctx, options)
		},
	}
}

// secretVersions is a cache.ReflectorStore that keeps nothing but the version of one Secret. Informers cost several times as much for each.
type secretVersions struct {
	watches *secretWatches
	secret  string
	watch   *secretWatch
}

// Add implements cache.ReflectorStore.
func (v secretVersions) Add(object any) error {
	v.watches.receive(v.secret, v.watch, versionOf(object))
	return nil
}

// Update implements cache.ReflectorStore.
func (v secretVersions) Update(object any) error { return v.Add(object) }

// Delete implements cache.ReflectorStore.
func (v secretVersions) Delete(any) error {
	v.watches.receive(v.secret, v.watch, "")
	return nil
}

// Replace implements cache.ReflectorStore.
func (v secretVersions) Replace(listed []any, _ string) error {
	version := ""
	for _, object := range listed { // there is one at most
		version = versionOf(object)
	}
	if v.watches.isNews(v.watch, version) {
		v.watches.receive(v.secret, v.watch, version)
	}
	return nil
}

// Resync implements cache.ReflectorStore.
func (secretVersions) Resync() error { return nil }

// isNews reports whether a list says what was not received before. A Secret that does not exist is news if it did.
func (w *secretWatches) isNews(watch *secretWatch, version string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return watch.version != version
}

// receive notes a version of the Secret.
func (w *secretWatches) receive(secret string, watch *secretWatch, version string) {
	w.mu.Lock()
	if w.watches[secret] != watch {
		w.mu.Unlock()
		return
	}
	watch.seen, watch.version = true, version
	names := w.followers(secret)
	w.mu.Unlock()
	for _, remote := range names {
		w.changed(remote)
	}
}

// close ends all watches.
func (w *secretWatches) close() {
	w.mu.Lock()
	w.closed = true
	for _, watch := range w.watches {
		watch.cancel()
	}
	w.mu.Unlock()
	w.running.Wait()
}

func versionOf(object any) string {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return accessor.GetResourceVersion()
}
