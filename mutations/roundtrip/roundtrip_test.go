package roundtrip_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
	"projection.sh/operator/test/env"
)

const (
	sourceNamespace = "source"
	targetNamespace = "target"
	manager         = "roundtrip"
	timeout         = 20 * time.Second
	tick            = 50 * time.Millisecond
)

// bound kinds must stay where they are: the API server refuses a copy for the field given. An Event of the core API is
// about an object of its own namespace (one of events.k8s.io need not be).
var bound = map[string]string{"event": "involvedObject.namespace"}

var stamp = mutations.Stamp{
	AnnotationKey: v1.AnnotationOwnedByProjection, AnnotationValue: "team/rule",
	LabelKey: v1.LabelOwnedByProjectionUID, LabelValue: "0b1f7d2c",
}

func TestEveryServedKindTravels(t *testing.T) {
	travelAll(t, start(t))
}

// What is behind a gate today is served tomorrow.
func TestEveryKindBehindAGateTravels(t *testing.T) {
	travelAll(t, start(t, env.WithAPIServerFlag("runtime-config", "api/all=true"),
		env.WithAPIServerFlag("feature-gates", "AllAlpha=true,AllBeta=true")))
}

// start runs a control plane for one test: each discovers and fills it on its own.
func start(t *testing.T, opts ...env.Option) *rest.Config {
	t.Helper()
	cluster, err := env.Start(append(opts, env.WithControllerManager())...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, cluster.Stop()) })
	config := rest.CopyConfig(cluster.Config)
	config.WarningHandler = rest.NoWarnings{}
	return config
}

func travelAll(t *testing.T, config *rest.Config) {
	t.Helper()
	setUp(t, config)
	resources, version := discover(t, config)
	for _, resource := range resources {
		t.Run(resource.kind.GroupVersion().String()+" "+resource.kind.Kind, func(t *testing.T) {
			sources := creatable(t, resources, resource.kind.GroupKind())
			require.NotEmpty(t, sources, "the API server serves %s, which is not tested: add an object of it to "+
				"mutations/roundtrip/%s, its optional fields set", resource.kind, fileOf(resource.kind.GroupKind()))
			for _, source := range sources {
				t.Run(source.GetName(), func(t *testing.T) { travel(t, config, resource, source.GetName(), version) })
			}
		})
	}
}

// creatable returns the objects of a kind whose own version is served.
func creatable(t *testing.T, resources []served, kind schema.GroupKind) []*uns.Unstructured {
	t.Helper()
	var found []*uns.Unstructured
	for _, source := range load(t, kind) {
		if slices.ContainsFunc(resources, func(r served) bool { return r.kind == source.GroupVersionKind() }) {
			found = append(found, source)
		}
	}
	return found
}

// travel copies one object in one version of its kind.
func travel(t *testing.T, config *rest.Config, resource served, name, version string) {
	t.Helper()
	ctx := context.Background()
	file := strings.TrimSuffix(strings.TrimPrefix(fileOf(resource.kind.GroupKind()), "testdata/"), ".yaml")
	taken := allocatedOf(file+"/"+name, version)
	sources, targets := clientsOf(t, config, resource)

	source := settled(t, sources, name, taken)
	wanted := render(t, source, resource, version)
	for _, path := range taken {
		assert.False(t, has(wanted.Object, path), "the copy bears %s of the source", path)
	}

	created, err := applyOnlyIfAbsent(ctx, targets, wanted)
	if field := bound[file]; field != "" {
		require.True(t, apierrors.IsInvalid(err) && strings.Contains(err.Error(), field), "refused for %s: %v", field, err)
		return
	}
	require.NoError(t, err, "the API server takes the copy")

	ours := sets.New(v1.AnnotationContentHash, stamp.AnnotationKey, stamp.LabelKey)
	different := differences("", intent(source, shownStatus), intent(created, ours))
	assert.Empty(t, beyond(different, taken), "fields that were lost or changed")

	_, err = applyOnlyIfAbsent(ctx, targets, wanted)
	assert.True(t, apierrors.IsConflict(err), "what is there is not overwritten: %v", err)
	requireInStep(t, targets, wanted)
	before := read(t, targets, created.GetName())
	assert.JSONEq(t, fieldsOf(created), fieldsOf(before), "a controller took fields of ours")
	requireUpdateKeepsAllocations(t, targets, wanted, before)
}

// requireUpdateKeepsAllocations adds a label: the copy keeps the addresses, selectors and volumes that it was given.
func requireUpdateKeepsAllocations(t *testing.T, client dynamic.ResourceInterface, wanted, before *uns.Unstructured) {
	t.Helper()
	changed := wanted.DeepCopy()
	changed.SetLabels(labels.Merge(changed.GetLabels(), labels.Set{"changed": "yes"}))
	after, err := client.Apply(context.Background(), changed.GetName(), changed, metav1.ApplyOptions{FieldManager: manager, Force: true})
	require.NoError(t, err)
	different := differences("", intent(before, nil), intent(after, nil))
	assert.Empty(t, beyond(different, []string{"metadata"}), "fields that an update took away or changed")
	assert.Equal(t, "yes", after.GetLabels()["changed"])
}

// settled returns the source once the API server and the controllers have given it all that is listed.
func settled(t *testing.T, client dynamic.ResourceInterface, name string, paths []string) *uns.Unstructured {
	t.Helper()
	var source *uns.Unstructured
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		source = read(t, client, name)
		for _, path := range paths {
			assert.True(c, has(source.Object, path), "the source has no %s yet", path)
		}
	}, timeout, tick)
	return source
}

func applyOnlyIfAbsent(ctx context.Context, client dynamic.ResourceInterface, wanted *uns.Unstructured) (*uns.Unstructured, error) {
	first := wanted.DeepCopy()
	first.SetResourceVersion("1")
	return client.Apply(ctx, first.GetName(), first, metav1.ApplyOptions{FieldManager: manager, Force: true})
}

// requireInStep applies the same twice. The first time may store what the API server has filled in since (a PersistentVolumeClaim's phase),
// which changes nothing that anybody sees. The second time must write nothing.
func requireInStep(t *testing.T, client dynamic.ResourceInterface, wanted *uns.Unstructured) {
	t.Helper()
	before, after := applyAgain(t, client, wanted)
	after.SetResourceVersion(before.GetResourceVersion())
	assert.Equal(t, before, after, "applying the same again changed something")
	before, after = applyAgain(t, client, wanted)
	assert.Equal(t, before.GetResourceVersion(), after.GetResourceVersion(), "applying the same again wrote something")
}

// applyAgain applies on the version that it has read, and returns what it has read and written. Where somebody else writes in between, that is
// a conflict, and tried again.
func applyAgain(t *testing.T, client dynamic.ResourceInterface, wanted *uns.Unstructured) (before, after *uns.Unstructured) {
	t.Helper()
	again := wanted.DeepCopy()
	require.Eventually(t, func() bool {
		before = read(t, client, wanted.GetName())
		again.SetResourceVersion(before.GetResourceVersion())
		var err error
		after, err = client.Apply(context.Background(), wanted.GetName(), again, metav1.ApplyOptions{FieldManager: manager, Force: true})
		return err == nil || !apierrors.IsConflict(err) && assert.NoError(t, err)
	}, timeout, tick)
	return before, after
}

func read(t *testing.T, client dynamic.ResourceInterface, name string) *uns.Unstructured {
	t.Helper()
	obj, err := client.Get(context.Background(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return obj
}

// fieldsOf returns the set of fields that the API server notes as ours.
func fieldsOf(obj *uns.Unstructured) string {
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == manager {
			return entry.FieldsV1.GetRawString()
		}
	}
	return "{}"
}
