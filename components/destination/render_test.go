package destination_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/concepts"
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

func render(t *testing.T, manifest string, rule *v1.Projection) *destination.Template {
	t.Helper()
	template, err := destination.Render(source(t, manifest), owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	require.NoError(t, err)
	return template
}

// preview returns the copy in the namespace.
func preview(t *testing.T, template *destination.Template, namespace string) *unstructured.Unstructured {
	t.Helper()
	resource, err := template.Resource(namespace, nil)
	require.NoError(t, err)
	object, err := resource.PreviewObject()
	require.NoError(t, err)
	return object
}

func TestRenderedCopy(t *testing.T) {
	template := render(t, original, newRule())
	assert.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"name": "settings", "namespace": "away",
			"labels": map[string]any{"team": "tenant", v1.LabelOwnedByProjectionUID: "uid-of-rule"},
			"annotations": map[string]any{
				"note": "copied", v1.AnnotationOwnedByProjection: "away/rule", v1.AnnotationContentHash: template.Hash(),
				v1.AnnotationPlace: "away/settings",
			},
		},
		"data": map[string]any{"color": "red"},
	}, preview(t, template, "away").Object)
	assert.Equal(t, "away/settings", template.At("away").String())
}

func TestRenamedCopy(t *testing.T) {
	rule := newRule()
	rule.Spec.Destination.Name = "renamed"
	template := render(t, original, rule)
	assert.Equal(t, "away/renamed", template.At("away").String())
	assert.Equal(t, "renamed", preview(t, template, "away").GetName())
}

func TestRenderChangesNeitherSourceNorRule(t *testing.T) {
	object, rule := source(t, original), newRule()
	objectBefore, ruleBefore := object.DeepCopy(), rule.DeepCopy()
	template, err := destination.Render(object, owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	require.NoError(t, err)
	preview(t, template, "away")
	assert.Equal(t, objectBefore, object)
	assert.Equal(t, ruleBefore, rule)

	object.Object["data"] = map[string]any{"color": "blue"}
	assert.Equal(t, "red", color(preview(t, template, "away")), "the template is a value of its own")
}

func TestOneTemplateServesEveryNamespace(t *testing.T) {
	template := render(t, original, newRule())
	first, second := preview(t, template, "one"), preview(t, template, "two")
	assert.Equal(t, template.Hash(), mutations.ContentHash(first))
	assert.Equal(t, template.Hash(), mutations.ContentHash(second))
	assert.Equal(t, "one", first.GetNamespace())
	annotations := second.GetAnnotations()
	assert.Equal(t, "two/settings", annotations[v1.AnnotationPlace])
	annotations[v1.AnnotationPlace] = "one/settings"
	second.SetAnnotations(annotations)
	second.SetNamespace("one")
	assert.Equal(t, first, second, "copies differ in their namespace and place only")
}

func TestHashFollowsWhateverIsWritten(t *testing.T) {
	same := map[string]func(string, *v1.Projection) string{
		"nothing":                   func(m string, _ *v1.Projection) string { return m },
		"the version of the source": func(m string, _ *v1.Projection) string { return strings.Replace(m, `"7"`, `"8"`, 1) },
		"the uid of the source":     func(m string, _ *v1.Projection) string { return strings.Replace(m, "u-1", "u-2", 1) },
		"the consent of the source": func(m string, _ *v1.Projection) string {
			return strings.Replace(m, `projectable: "true"`, `projectable: "yes"`, 1)
		},
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
		"the rule":             func(m string, r *v1.Projection) string { r.Name = "other"; return m },
		"the rule's uid":       func(m string, r *v1.Projection) string { r.UID = "uid-of-next"; return m },
	}
	wanted := render(t, original, newRule()).Hash()
	hashed := func(change func(string, *v1.Projection) string) string {
		rule := newRule()
		manifest := change(original, rule)
		return render(t, manifest, rule).Hash()
	}
	for name, change := range same {
		assert.Equal(t, wanted, hashed(change), name)
	}
	for name, change := range other {
		assert.NotEqual(t, wanted, hashed(change), name)
	}
}

func TestCopyIsGuardedAgainstItsSource(t *testing.T) {
	template := render(t, original, newRule())
	for namespace, status := range map[string]concepts.GuardStatus{"home": concepts.GuardStatusBlocked, "away": concepts.GuardStatusUnblocked} {
		resource, err := template.Resource(namespace, nil)
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
