package destination_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
)

func TestCopyHasTheLabelsAndAnnotationsThatAreChosen(t *testing.T) {
	manifest := strings.Replace(original, "team: core", "team: core, app: shop", 1)
	rule := newRule()
	rule.Spec.Overlay = v1.Overlay{Labels: map[string]string{"team": "tenant"}}
	rule.Spec.Content = v1.Content{
		Labels:      v1.KeyFilter{Include: []string{"a*", "team"}, Exclude: []string{"team"}},
		Annotations: v1.KeyFilter{Exclude: []string{"*"}},
	}

	copied := preview(t, render(t, manifest, rule), "away")

	assert.Equal(t, map[string]string{"app": "shop", "team": "tenant", v1.LabelOwnedByProjectionUID: "uid-of-rule"}, copied.GetLabels())
	assert.NotContains(t, copied.GetAnnotations(), "note")
	assert.Equal(t, "away/rule", copied.GetAnnotations()[v1.AnnotationOwnedByProjection])
}

// An edit of what is not copied is no edit of the copies, and a choice that drops nothing is none.
func TestHashCoversWhatIsCopied(t *testing.T) {
	hashed := func(manifest string, content v1.Content) string {
		rule := newRule()
		rule.Spec.Overlay, rule.Spec.Content = v1.Overlay{}, content
		return copyIn(t, render(t, manifest, rule), "away").Hash
	}
	edited := strings.Replace(original, "team: core", "team: other", 1)
	excluded := v1.Content{Labels: v1.KeyFilter{Exclude: []string{"team"}}}

	assert.Equal(t, hashed(original, excluded), hashed(edited, excluded))
	assert.NotEqual(t, hashed(original, v1.Content{}), hashed(edited, v1.Content{}))
	assert.NotEqual(t, hashed(original, v1.Content{}), hashed(original, excluded))
	assert.Equal(t, hashed(original, v1.Content{}), hashed(original, v1.Content{Labels: v1.KeyFilter{Include: []string{"*"}}}))
	noAnnotation := v1.Content{Annotations: v1.KeyFilter{Include: []string{"other"}}}
	assert.NotEqual(t, hashed(original, v1.Content{}), hashed(original, noAnnotation))
}
