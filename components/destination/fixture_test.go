package destination_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

const (
	soon = 20 * time.Second
	tick = 10 * time.Millisecond
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// fixture is a namespace, a rule in it, and a writer whose requests can be intercepted.
type fixture struct {
	t         *testing.T
	namespace string
	resource  schema.GroupVersionResource
	rule      *v1.Projection
	set       destination.CopySet
	writer    *destination.Writer
	tap       *tap
	blockers  *blockers
	queued    chan watch.RuleKey
}

// newFixture returns a fixture for copies of the resource.
func newFixture(t *testing.T, resource schema.GroupVersionResource) *fixture {
	t.Helper()
	namespace, err := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().Namespaces().
		Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "copies-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	w := &fixture{
		t: t, namespace: namespace.Name, resource: resource, tap: &tap{}, blockers: &blockers{}, queued: make(chan watch.RuleKey, 100),
		rule: &v1.Projection{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: "rule", UID: types.UID("uid-" + namespace.Name)},
			Spec:       v1.ProjectionSpec{Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"}},
		},
	}
	w.use(cluster.Config)
	return w
}

// use makes the writer one that has these rights.
func (w *fixture) use(config *rest.Config) {
	w.t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(w.t, v1.AddToScheme(scheme))
	c, err := client.New(config, client.Options{Scheme: scheme})
	require.NoError(w.t, err)
	w.writer = w.newWriter(c, w.tap.on(config))
	w.set = destination.CopySet{Owner: owner.IdentityOf(owner.Projection, w.rule), User: impersonate.Operator(), Rule: w.rule, Resource: w.resource}
	w.restart()
}

// restart makes the cache forget what this process has written.
func (w *fixture) restart() {
	w.t.Helper()
	inventory := destination.NewInventory(w.t.Context(), owner.Projection, metadata.NewForConfigOrDie(cluster.Config),
		func(rule watch.RuleKey, _ watch.Trigger, _ time.Time) { w.queued <- rule })
	caches, err := inventory.Watch(w.t.Context(), watch.RuleKey{Kind: owner.Projection.Name, NamespacedName: w.set.Owner.Key()}, w.resource)
	require.NoError(w.t, err)
	w.set.Cache = caches[0]
}

// source returns the source as a manifest has it.
func source(t testing.TB, manifest string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &object.Object))
	return object
}

// settings is the manifest of a source whose content is the color.
func settings(color string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home}, data: {color: %s}}`, color)
}

// copyIn returns the copy in a namespace.
func (w *fixture) copyIn(namespace, manifest string) destination.DesiredCopy {
	w.t.Helper()
	renderer, err := destination.Render(source(w.t, manifest), w.set.Owner, specOf(w.rule), "v1.36.0")
	require.NoError(w.t, err)
	desired, err := renderer.Copy(destination.Target{Namespace: namespace})
	require.NoError(w.t, err)
	return desired
}

func (w *fixture) apply(manifest string) destination.Outcome {
	w.t.Helper()
	return w.writer.Apply(w.t.Context(), w.set, w.copyIn(w.namespace, manifest))
}

// fill puts the namespace and the uid of the rule into the text.
func (w *fixture) fill(text string) string {
	return strings.NewReplacer("$NS", w.namespace, "$UID", string(w.rule.UID)).Replace(text)
}

func (w *fixture) at() types.NamespacedName {
	return types.NamespacedName{Namespace: w.namespace, Name: "settings"}
}

// objects is how others see the resource.
func (w *fixture) objects() dynamic.ResourceInterface {
	return dynamic.NewForConfigOrDie(cluster.Config).Resource(w.resource).Namespace(w.namespace)
}

func (w *fixture) get() *unstructured.Unstructured {
	w.t.Helper()
	object, err := w.objects().Get(w.t.Context(), "settings", metav1.GetOptions{})
	require.NoError(w.t, err)
	return object
}

// blocker creates an object in the way of the copy.
func (w *fixture) blocker(color string) *unstructured.Unstructured {
	w.t.Helper()
	object := source(w.t, settings(color))
	object.SetNamespace(w.namespace)
	created, err := w.objects().Create(w.t.Context(), object, metav1.CreateOptions{})
	require.NoError(w.t, err)
	return created
}

func (w *fixture) merge(patch string) *unstructured.Unstructured {
	w.t.Helper()
	patched, err := w.objects().Patch(w.t.Context(), "settings", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	require.NoError(w.t, err)
	return patched
}

// known waits until the cache has it that the rule owns so many copies, and returns them.
func (w *fixture) known(count int) []destination.Copy {
	w.t.Helper()
	var copies []destination.Copy
	require.Eventuallyf(w.t, func() bool {
		copies = w.set.Cache.ByOwner(w.set.Owner.Key())
		return len(copies) == count
	}, soon, tick, "the cache does not know of %d copies", count)
	return copies
}

func color(object *unstructured.Unstructured) string {
	value, _, _ := unstructured.NestedString(object.Object, "data", "color")
	return value
}

// blockers records what is in the way, and what was found there.
type blockers struct {
	mu       sync.Mutex
	all      []types.NamespacedName
	findings map[types.NamespacedName]error
}

func (o *blockers) Watch(_ context.Context, _ watch.RuleKey, _ schema.GroupVersionResource, at types.NamespacedName) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Contains(o.all, at) {
		o.all = append(o.all, at)
	}
	return nil
}

func (o *blockers) Unwatch(_ watch.RuleKey, _ schema.GroupVersionResource, at types.NamespacedName) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(o.all, func(known types.NamespacedName) bool { return known == at })
}

func (o *blockers) SetFinding(_ watch.RuleKey, _ schema.GroupVersionResource, object metav1.Object, finding error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.findings = map[types.NamespacedName]error{{Namespace: object.GetNamespace(), Name: object.GetName()}: finding}
}

func (o *blockers) Finding(_ watch.RuleKey, _ schema.GroupVersionResource, at types.NamespacedName) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.findings[at]
}

// stir is an event of the obstacle.
func (o *blockers) stir() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.findings = nil
}

func (o *blockers) list() []types.NamespacedName {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.all)
}

// specOf returns what the rule asks for.
func specOf(rule *v1.Projection) owner.Spec {
	return owner.Spec{Source: rule.GetSource(), Name: rule.GetDestinationName(), CopyKind: rule.GetCopyKind(), Content: rule.GetContent(), Overlay: rule.GetOverlay()}
}
