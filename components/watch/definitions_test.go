package watch_test

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"projection.sh/operator/components/watch"
)

// definitionOf returns the definition of a kind in the group.
func definitionOf(group string) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", Plural: "widgets"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
			}},
		},
	}
}

func TestDefinitionsNameTheirGroup(t *testing.T) {
	f := newField(t)
	var mu sync.Mutex
	seen := map[string]int{}
	group := f.namespace + ".example.com"
	times := func(group string) int {
		mu.Lock()
		defer mu.Unlock()
		return seen[group]
	}
	ending := false
	var begun atomic.Int32
	watch.Definitions(t.Context(), f.metadata(cluster.Config), func(definition watch.Definition) {
		mu.Lock()
		defer mu.Unlock()
		seen[definition.Group]++
		if definition.Group == group {
			assert.Equal(t, "widgets", definition.Resource)
			ending = definition.Terminating
		}
	}, func() { begun.Add(1) })
	isEnding := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return ending
	}
	require.Eventually(t, func() bool { return f.tap.watches() == 1 }, soon, tick)

	definitions := apiextensions.NewForConfigOrDie(cluster.Config).ApiextensionsV1().CustomResourceDefinitions()
	definition := definitionOf(group)
	_, err := definitions.Create(t.Context(), definition, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return times(group) > 0 }, soon, tick)

	assert.False(t, isEnding())

	hold := func(finalizers string) {
		_, err := definitions.Patch(t.Context(), definition.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	hold(`["example.com/hold"]`)
	require.NoError(t, definitions.Delete(t.Context(), definition.Name, metav1.DeleteOptions{}))
	require.Eventually(t, isEnding, soon, tick)
	hold(`null`)
	require.Eventually(t, func() bool { return !isEnding() }, soon, tick, "it is gone")

	f.tap.expire("customresourcedefinitions")
	require.Eventually(t, func() bool { return f.tap.watches() == 1 }, soon, tick)
	assert.Zero(t, times(""), "nothing was missed, before the watch or in between")
	told := begun.Load()
	f.tap.cut()
	require.Eventually(t, func() bool { return begun.Load() == told+1 }, soon, tick, "the watch has begun again")
}

// TestDefinitionsThatChangeWhileTheWatchStartsOverAreReported has the API server forget the version of the watch while it is cut.
func TestDefinitionsThatChangeWhileTheWatchStartsOverAreReported(t *testing.T) {
	f := newField(t)
	definitions := apiextensions.NewForConfigOrDie(cluster.Config).ApiextensionsV1().CustomResourceDefinitions()
	names := []string{"edited", "deleted", "annotated"}
	for _, name := range names {
		_, err := definitions.Create(t.Context(), definitionOf(name+"."+f.namespace+".example.com"), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		for _, name := range names {
			definition, err := definitions.Get(t.Context(), "widgets."+name+"."+f.namespace+".example.com", metav1.GetOptions{})
			if err != nil || len(definition.Status.Conditions) < 2 {
				return false
			}
		}
		return true
	}, soon, tick)
	seen := make(chan watch.Definition, 10)
	watch.Definitions(t.Context(), f.metadata(cluster.Config), func(definition watch.Definition) { seen <- definition }, func() {})
	require.Eventually(t, func() bool { return f.tap.watches() == 1 }, soon, tick)

	f.tap.expire("customresourcedefinitions")
	merge := func(name, patch string) {
		_, err := definitions.Patch(t.Context(), "widgets."+name+"."+f.namespace+".example.com", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		require.NoError(t, err)
	}
	merge("edited", `{"spec":{"names":{"shortNames":["wdg"]}}}`)
	merge("annotated", `{"metadata":{"annotations":{"note":"x"}}}`)
	require.NoError(t, definitions.Delete(t.Context(), "widgets.deleted."+f.namespace+".example.com", metav1.DeleteOptions{}))

	told := map[string]bool{}
	require.Eventually(t, func() bool {
		select {
		case definition := <-seen:
			told[definition.Group] = true
		default:
		}
		return told["edited."+f.namespace+".example.com"] && told["deleted."+f.namespace+".example.com"]
	}, soon, tick)
	assert.NotContains(t, told, "annotated."+f.namespace+".example.com")
	assert.NotContains(t, told, "")
}

// TestDefinitionsThatWereMissedBeforeTheWatchBeganAreReported has the API server refuse the first list.
func TestDefinitionsThatWereMissedBeforeTheWatchBeganAreReported(t *testing.T) {
	f := newField(t)
	refused := false
	config := rest.CopyConfig(cluster.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(request *http.Request) (*http.Response, error) {
			if !refused {
				refused = true
				return nil, assert.AnError
			}
			return next.RoundTrip(request)
		})
	})
	seen := make(chan watch.Definition, 1)
	watch.Definitions(t.Context(), f.metadata(config), func(definition watch.Definition) {
		select {
		case seen <- definition:
		default:
		}
	}, func() {})
	select {
	case definition := <-seen:
		assert.Zero(t, definition)
	case <-time.After(soon):
		require.Fail(t, "no event")
	}
}

func TestPatientWatchesStayOpenForAnHourOrTwo(t *testing.T) {
	var asked []metav1.ListOptions
	source := &cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return nil, assert.AnError
		},
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
			asked = append(asked, options)
			return apiwatch.NewFake(), nil
		},
	}
	patient := cache.ToListerWatcherWithContext(watch.LongWatch(source, func() {}))
	short := int64(300)
	for i := range 100 {
		_, err := patient.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: strconv.Itoa(i), TimeoutSeconds: &short})
		require.NoError(t, err)
	}
	seen := map[int64]bool{}
	for i, options := range asked {
		assert.Equal(t, strconv.Itoa(i), options.ResourceVersion, "all else is passed on")
		assert.GreaterOrEqual(t, *options.TimeoutSeconds, int64(time.Hour.Seconds()))
		assert.LessOrEqual(t, *options.TimeoutSeconds, int64(2*time.Hour.Seconds()))
		seen[*options.TimeoutSeconds] = true
	}
	assert.Greater(t, len(seen), 50, "they do not end all at once")
	_, err := patient.ListWithContext(t.Context(), metav1.ListOptions{})
	require.ErrorIs(t, err, assert.AnError)
}
