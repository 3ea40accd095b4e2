package upgrade_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/upgrade/corpus"
)

// restored returns a control plane of its own with the definitions, and the corpus in it.
func restored(t *testing.T, left *corpus.Corpus, definitions string) *env.Environment {
	t.Helper()
	plane, err := env.Start(env.WithCRDs(definitions, corpus.Kinds()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, plane.Stop()) })
	require.NoError(t, corpus.Restore(t.Context(), plane.Storage(), left.Entries))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, manifests(t, left.Objects), objects(t, plane), "restored objects are what was recorded, but for their resourceVersion")
	}, env.Timeout, env.Interval)
	return plane
}

func objects(t *testing.T, plane *env.Environment) map[string]string {
	t.Helper()
	return manifests(t, read(t, plane))
}

func read(t *testing.T, plane *env.Environment) []*unstructured.Unstructured {
	t.Helper()
	found, err := corpus.Read(t.Context(), plane.Config)
	require.NoError(t, err)
	return found
}

// manifests renders the objects, but for the lease, which is written all the time, and for what API servers of two versions
// render differently.
func manifests(t *testing.T, objects []*unstructured.Unstructured) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, object := range objects {
		if object.GetKind() != "Lease" {
			object = object.DeepCopy()
			unstructured.RemoveNestedField(object.Object, "status", "terminatingReplicas")
			unstructured.RemoveNestedField(object.Object, "spec", "template", "metadata", "creationTimestamp")
			manifest, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			found[object.GetKind()+" "+object.GetNamespace()+"/"+object.GetName()] = string(manifest)
		}
	}
	return found
}

// TestWhatAVersionLeftIsNotWrittenAgain starts the operator on what the former leader left when it was killed, beneath
// the definitions that it came with, and beneath those of this tree.
func TestWhatAVersionLeftIsNotWrittenAgain(t *testing.T) {
	left, err := corpus.Load(corpus.Dir("v1"))
	require.NoError(t, err)
	for name, definitions := range map[string]string{"its definitions": left.Definitions, "definitions of this tree": env.CRDs()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := restored(t, left, definitions)
			const user = "operator"
			config, err := plane.ConfigFor(user, "system:masters")
			require.NoError(t, err)
			mark := fixture.Mark(t, plane)
			start := func() *manager.InProcess {
				return manager.Start(config, func(o *app.Options) {
					o.LeaderElect, o.LeaderElectionNamespace, o.LeaderElectionLeaseDuration = true, "projection-system", 5*time.Second
				})
			}
			operator := start()
			requests, err := corpus.Quiet(t.Context(), plane, mark, user)
			require.NoError(t, err)
			requireStatusWrites(t, corpus.Writes(requests))
			assert.Equal(t, withoutStatus(t, left.Objects), withoutStatus(t, read(t, plane)))
			for _, source := range sources(left) {
				assert.True(t, slices.ContainsFunc(requests, func(r env.Request) bool {
					return r.Verb == "get" && r.Namespace == "platform" && r.Name == source
				}), "%s was not looked at", source)
			}

			mark = fixture.Mark(t, plane)
			paint(t, plane, "green")
			requests, err = corpus.Quiet(t.Context(), plane, mark, user)
			require.NoError(t, err)
			require.NoError(t, operator.Stop())
			mark = fixture.Mark(t, plane)
			again := start()
			restarted, err := corpus.Quiet(t.Context(), plane, mark, user)
			require.NoError(t, err)
			require.NoError(t, again.Stop())
			assert.Empty(t, corpus.Writes(restarted), "the next start writes nothing")
			assert.ElementsMatch(t, []string{
				"tenant-a/app-settings", "tenant-a/settings", "tenant-b/settings", "tenant-a/everywhere", "tenant-c/everywhere",
			}, copies(corpus.Writes(requests)), "every copy is written once when its source changes")
		})
	}
}

// requireStatusWrites checks that the writes are of the status of rules, whose words may differ from those of the former version, and one
// of each rule.
func requireStatusWrites(t *testing.T, writes []env.Request) {
	t.Helper()
	rules := map[string]int{}
	for _, write := range writes {
		require.Equal(t, "status", write.Subresource, "%s", write)
		require.Equal(t, v1.GroupVersion.Group, write.Group, "%s", write)
		rules[write.Resource+" "+write.Namespace+"/"+write.Name]++
	}
	for rule, count := range rules {
		assert.Equal(t, 1, count, rule)
	}
}

// withoutStatus renders the objects without the status of rules, and without who wrote it.
func withoutStatus(t *testing.T, objects []*unstructured.Unstructured) map[string]string {
	t.Helper()
	stripped := make([]*unstructured.Unstructured, len(objects))
	for i, object := range objects {
		stripped[i] = object.DeepCopy()
		if object.GroupVersionKind().Group == v1.GroupVersion.Group {
			unstructured.RemoveNestedField(stripped[i].Object, "status")
			stripped[i].SetManagedFields(nil)
		}
	}
	return manifests(t, stripped)
}

// sources returns the names of the sources that the rules of served kinds name.
func sources(left *corpus.Corpus) []string {
	var names []string
	for _, object := range left.Objects {
		name, named, _ := unstructured.NestedString(object.Object, "spec", "source", "name")
		kind, _, _ := unstructured.NestedString(object.Object, "spec", "source", "kind")
		if named && kind != "Gadget" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// paint edits the source of most rules.
func paint(t *testing.T, plane *env.Environment, color string) {
	t.Helper()
	c := fixture.Client(t, plane.Config)
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"data":{"color":%q}}`, color))
	require.NoError(t, c.Patch(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "platform", Name: "settings"}}, patch))
}

// copies returns where requests wrote copies.
func copies(writes []env.Request) []string {
	var places []string
	for _, write := range writes {
		if write.Group != v1.GroupVersion.Group {
			places = append(places, write.Namespace+"/"+write.Name)
		}
	}
	return places
}
