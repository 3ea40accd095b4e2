package destination_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/unstructured/static"
)

const original = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: home
  uid: u-1
  resourceVersion: "7"
  labels: {team: core}
  annotations: {projection.sh/projectable: "true", note: original}
data: {color: red}
`

func newRule() *v1.Projection {
	return &v1.Projection{
		ObjectMeta: metav1.ObjectMeta{Namespace: "away", Name: "rule", UID: "uid-of-rule"},
		Spec: v1.ProjectionSpec{
			Source:  v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Name: "settings"},
			Overlay: v1.Overlay{Labels: map[string]string{"team": "tenant"}, Annotations: map[string]string{"note": "copied"}},
		},
	}
}

func render(t *testing.T, manifest string, rule *v1.Projection) *destination.Renderer {
	t.Helper()
	renderer, err := destination.Render(source(t, manifest), owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	require.NoError(t, err)
	return renderer
}

// copyIn returns the copy in the namespace.
func copyIn(t *testing.T, renderer *destination.Renderer, namespace string) destination.DesiredCopy {
	t.Helper()
	desired, err := renderer.Copy(destination.Target{Namespace: namespace})
	require.NoError(t, err)
	return desired
}

// preview returns the copy in the namespace as it is written.
func preview(t *testing.T, renderer *destination.Renderer, namespace string) *unstructured.Unstructured {
	t.Helper()
	resource, err := copyIn(t, renderer, namespace).Resource(nil)
	require.NoError(t, err)
	object, err := resource.PreviewObject()
	require.NoError(t, err)
	return object
}

func TestRenderedCopy(t *testing.T) {
	renderer := render(t, original, newRule())
	assert.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"name": "settings", "namespace": "away",
			"labels": map[string]any{"team": "tenant", v1.LabelOwnedByProjectionUID: "uid-of-rule"},
			"annotations": map[string]any{
				"note": "copied", v1.AnnotationOwnedByProjection: "away/rule", v1.AnnotationContentHash: copyIn(t, renderer, "away").Hash,
				v1.AnnotationPlace: "away/settings", v1.AnnotationSource: "ConfigMap/home/settings",
			},
		},
		"data": map[string]any{"color": "red"},
	}, preview(t, renderer, "away").Object)
	desired := copyIn(t, renderer, "away")
	assert.Equal(t, "away/settings", desired.At.String())
	assert.Equal(t, desired.Hash+" ConfigMap/home/settings", desired.Content)
}

func TestRenamedCopy(t *testing.T) {
	rule := newRule()
	rule.Spec.Destination.Name = "renamed"
	renderer := render(t, original, rule)
	assert.Equal(t, "away/renamed", copyIn(t, renderer, "away").At.String())
	assert.Equal(t, "renamed", preview(t, renderer, "away").GetName())
}

func TestRenderChangesNeitherSourceNorRule(t *testing.T) {
	object, rule := source(t, original), newRule()
	objectBefore, ruleBefore := object.DeepCopy(), rule.DeepCopy()
	renderer, err := destination.Render(object, owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	require.NoError(t, err)
	preview(t, renderer, "away")
	assert.Equal(t, objectBefore, object)
	assert.Equal(t, ruleBefore, rule)

	object.Object["data"] = map[string]any{"color": "blue"}
	assert.Equal(t, "red", color(preview(t, renderer, "away")), "the renderer is a value of its own")
}

func TestOneRendererServesEveryNamespace(t *testing.T) {
	renderer := render(t, original, newRule())
	first, second := preview(t, renderer, "one"), preview(t, renderer, "two")
	assert.Equal(t, copyIn(t, renderer, "away").Hash, mutations.ContentHash(first))
	assert.Equal(t, copyIn(t, renderer, "away").Hash, mutations.ContentHash(second))
	assert.Equal(t, "one", first.GetNamespace())
	annotations := second.GetAnnotations()
	assert.Equal(t, "two/settings", annotations[v1.AnnotationPlace])
	annotations[v1.AnnotationPlace] = "one/settings"
	second.SetAnnotations(annotations)
	second.SetNamespace("one")
	assert.Equal(t, first, second, "copies differ in their namespace and place only")
}

// TestCopyOfALimitedSourceIsOptedOut has the owner of a source permit some namespaces. A copy there is not to be copied into others.
func TestCopyOfALimitedSourceIsOptedOut(t *testing.T) {
	limited := strings.Replace(original, `projectable: "true"`, `projectable: "namespaces: team=shop"`, 1)
	open, closed := render(t, original, newRule()), render(t, limited, newRule())
	assert.NotContains(t, preview(t, open, "away").GetAnnotations(), v1.AnnotationProjectable)
	assert.Equal(t, v1.ProjectableFalse, preview(t, closed, "away").GetAnnotations()[v1.AnnotationProjectable])
	assert.NotEqual(t, copyIn(t, open, "away").Hash, copyIn(t, closed, "away").Hash, "copies are written again when the owner limits them")
	narrower := strings.Replace(limited, "team=shop", "team=shop,stage=prod", 1)
	assert.Equal(t, copyIn(t, closed, "away").Hash, copyIn(t, render(t, narrower, newRule()), "away").Hash)
}

func TestHashFollowsWhateverIsWritten(t *testing.T) {
	same := map[string]func(string, *v1.Projection) string{
		"nothing":                   func(m string, _ *v1.Projection) string { return m },
		"the version of the source": func(m string, _ *v1.Projection) string { return strings.Replace(m, `"7"`, `"8"`, 1) },
		"the uid of the source":     func(m string, _ *v1.Projection) string { return strings.Replace(m, "u-1", "u-2", 1) },
		"the consent of the source": func(m string, _ *v1.Projection) string {
			return strings.Replace(m, `projectable: "true"`, `projectable: "yes"`, 1)
		},
		"the keys that are public": func(m string, _ *v1.Projection) string {
			return strings.Replace(m, "note: original", `note: original, projection.sh/public-keys: color`, 1)
		},
		"the source's own kind": func(m string, r *v1.Projection) string { r.Spec.Destination.Kind = "ConfigMap"; return m },
		"the namespace of the source": func(m string, _ *v1.Projection) string {
			return strings.Replace(m, "namespace: home", "namespace: elsewhere", 1)
		},
		"a label that the overlay hides":   func(m string, _ *v1.Projection) string { return strings.Replace(m, "team: core", "team: other", 1) },
		"a status":                         func(m string, _ *v1.Projection) string { return m + "status: {phase: Done}\n" },
		"another resourceVersion the rule": func(m string, r *v1.Projection) string { r.ResourceVersion = "99"; return m },
	}
	other := map[string]func(string, *v1.Projection) string{
		"the content": func(m string, _ *v1.Projection) string { return strings.Replace(m, "red", "blue", 1) },
		"a key more": func(m string, _ *v1.Projection) string {
			return strings.Replace(m, "color: red", `color: red, size: "1"`, 1)
		},
		"a label of the source": func(m string, _ *v1.Projection) string { return strings.Replace(m, "team: core", "tier: gold", 1) },
		"the version of the API": func(m string, _ *v1.Projection) string {
			return strings.Replace(m, "apiVersion: v1", "apiVersion: v2", 1)
		},
		"the overlay":          func(m string, r *v1.Projection) string { r.Spec.Overlay.Labels["team"] = "other"; return m },
		"the overlay's end":    func(m string, r *v1.Projection) string { r.Spec.Overlay = v1.Overlay{}; return m },
		"the name of the copy": func(m string, r *v1.Projection) string { r.Spec.Destination.Name = "renamed"; return m },
		"the kind of the copy": func(m string, r *v1.Projection) string { r.Spec.Destination.Kind = "Secret"; return m },
		"the rule":             func(m string, r *v1.Projection) string { r.Name = "other"; return m },
		"the rule's uid":       func(m string, r *v1.Projection) string { r.UID = "uid-of-next"; return m },
	}
	wanted := copyIn(t, render(t, original, newRule()), "away").Hash
	hashed := func(change func(string, *v1.Projection) string) string {
		rule := newRule()
		manifest := change(original, rule)
		return copyIn(t, render(t, manifest, rule), "away").Hash
	}
	for name, change := range same {
		assert.Equal(t, wanted, hashed(change), name)
	}
	for name, change := range other {
		assert.NotEqual(t, wanted, hashed(change), name)
	}
}

func TestCopyIsGuardedAgainstItsSource(t *testing.T) {
	renderer := render(t, original, newRule())
	for namespace, status := range map[string]concepts.GuardStatus{"home": concepts.GuardStatusBlocked, "away": concepts.GuardStatusUnblocked} {
		resource, err := copyIn(t, renderer, namespace).Resource(nil)
		require.NoError(t, err)
		verdict, err := resource.GuardStatus()
		require.NoError(t, err)
		assert.Equal(t, status, verdict.Status, namespace)
	}
}

func TestRenderFailsWithoutAnOwner(t *testing.T) {
	rule := newRule()
	_, err := destination.Render(source(t, original), owner.Identity{}, specOf(rule), "v1.36.0")
	require.ErrorIs(t, err, mutations.ErrNoOwner)
}

func TestCopyWithoutANamespaceFailsAlone(t *testing.T) {
	renderer := render(t, original, newRule())
	desired, err := renderer.Copy(destination.Target{})
	require.ErrorContains(t, err, "namespace")
	assert.Equal(t, "settings", desired.At.Name)
	copyIn(t, renderer, "away")
}

// The primitive of a copy is rendered from the template, and tells of all mutations as if it was rendered from the source.
func TestCopyNamesItsMutations(t *testing.T) {
	const service = `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: home}, spec: {clusterIP: 10.0.0.1}}`
	tests := map[string]struct {
		manifest string
		overlay  v1.Overlay
		fires    []string
	}{
		"of a ConfigMap": {original, newRule().Spec.Overlay, []string{mutations.ApplyOverlay}},
		"of a Service":   {service, v1.Overlay{}, []string{mutations.StripService}},
	}
	always := []string{
		mutations.KeepIntentMetadata, mutations.DropSourceBookkeeping, mutations.DropToolMarks, mutations.DropStatus,
		mutations.DropNulls, mutations.StampOwnership, mutations.StampContentHash, mutations.StampSource, mutations.StampPlace,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rule := newRule()
			rule.Spec.Overlay = test.overlay
			id := owner.IdentityOf(owner.Projection, rule)
			object := source(t, test.manifest)
			desired := copyIn(t, render(t, test.manifest, rule), "away")
			resource, err := desired.Resource(nil)
			require.NoError(t, err)

			from := types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
			object.SetNamespace("away")
			object.SetName("settings")
			direct, err := static.NewBuilder(object).WithMutation(mutations.ForDestination(mutations.Input{
				Kind: object.GroupVersionKind().GroupKind(), Stamp: id.Stamp(), ServerVersion: "v1.36.0", SourceUID: object.GetUID(),
				Source:  from,
				Overlay: mutations.Overlay{Labels: test.overlay.Labels, Annotations: test.overlay.Annotations},
			})...).Build()
			require.NoError(t, err)
			want, err := direct.FiringSet()
			require.NoError(t, err)
			fires, err := desired.FiringSet()
			require.NoError(t, err)
			assert.Equal(t, want, fires)
			assert.ElementsMatch(t, append(test.fires, always...), fires)
			assert.Equal(t, direct.RegisteredMutations(), resource.RegisteredMutations())
			copied, err := resource.PreviewObject()
			require.NoError(t, err)
			rendered, err := direct.PreviewObject()
			require.NoError(t, err)
			assert.Equal(t, rendered, copied)
		})
	}
}
