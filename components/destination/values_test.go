package destination_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

// withFields returns a rule that sets fields.
func withFields(pairs ...string) *v1.Projection {
	rule := newRule()
	for i := 0; i < len(pairs); i += 2 {
		rule.Spec.Overlay.Fields = append(rule.Spec.Overlay.Fields, v1.OverlayField{Path: pairs[i], Expression: pairs[i+1]})
	}
	return rule
}

func in(namespace, team string) destination.Target {
	return destination.Target{Namespace: namespace, Version: "1", Labels: map[string]string{"team": team}}
}

func copyOfTarget(t *testing.T, renderer *destination.Renderer, target destination.Target) *unstructured.Unstructured {
	t.Helper()
	desired, err := renderer.Copy(target)
	require.NoError(t, err)
	resource, err := desired.Resource(nil)
	require.NoError(t, err)
	object, err := resource.PreviewObject()
	require.NoError(t, err)
	assert.Equal(t, desired.Hash, mutations.ContentHash(object))
	return object
}

func renderWith(t *testing.T, with destination.Rendering, manifest string, rule *v1.Projection) *destination.Renderer {
	t.Helper()
	renderer, err := with.Render(source(t, manifest), owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
	require.NoError(t, err)
	return renderer
}

func TestCopiesWithValuesOfTheirOwn(t *testing.T) {
	rule := withFields("data.color", "target.labels['team'] + '-' + source.data.color", "data.at", "target.name", "data.from", "source.metadata.namespace")
	renderer := render(t, original, rule)
	require.True(t, renderer.HasValues())
	a, b := copyOfTarget(t, renderer, in("one", "a")), copyOfTarget(t, renderer, in("two", "b"))
	assert.Equal(t, map[string]any{"color": "a-red", "at": "one", "from": "home"}, a.Object["data"])
	assert.Equal(t, map[string]any{"color": "b-red", "at": "two", "from": "home"}, b.Object["data"])
	assert.NotEqual(t, mutations.ContentHash(a), mutations.ContentHash(b))
	assert.Equal(t, "away/rule", a.GetAnnotations()["projection.sh/owned-by-projection"])
	assert.Equal(t, "one/settings", a.GetAnnotations()[v1.AnnotationPlace])
	assert.Equal(t, "ConfigMap/home/settings", a.GetAnnotations()[v1.AnnotationSource])
	assert.Equal(t, "settings", a.GetName())

	again := render(t, original, rule)
	assert.Equal(t, b, copyOfTarget(t, again, in("two", "b")), "in any order of targets")
	assert.Equal(t, a, copyOfTarget(t, again, in("one", "a")))
}

// The values decide the hash, and not the texts of the expressions.
func TestHashOfACopyFollowsItsValues(t *testing.T) {
	hash := func(rule *v1.Projection, target destination.Target) string {
		desired, err := render(t, original, rule).Copy(target)
		require.NoError(t, err)
		return desired.Hash
	}
	rule := withFields("data.team", "target.labels['team']")
	base := hash(rule, in("one", "a"))
	assert.Equal(t, base, hash(withFields("data.team", "target.labels.team + ''"), in("one", "a")))
	assert.Equal(t, base, hash(rule, in("other", "a")), "the namespace is no content")
	assert.NotEqual(t, base, hash(rule, in("one", "b")))
	assert.NotEqual(t, base, hash(withFields("data.name", "target.labels['team']"), in("one", "a")))

	shared := render(t, original, withFields("data.team", "'a'"))
	assert.False(t, shared.HasValues())
	static := render(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home, uid: u-1, labels: {team: core},
		annotations: {note: original}}, data: {color: red, team: a}}`, newRule())
	assert.Equal(t, copyIn(t, static, "one").Hash, copyIn(t, shared, "one").Hash, "a value for all is like one of the source")
}

func TestErrorsOfATarget(t *testing.T) {
	for expression, message := range map[string]string{
		"target.labels['none']":                  "overlay.fields[0]: line 1, column 14: no such key: none",
		"target.labels.team + ' c4n4ry'":         "metadata.labels.team cannot be set: a valid label must be ",
		"target.labels.team == 'a' ? dyn(1) : 2": "metadata.labels.team cannot be set: the value of a label is a string",
	} {
		desired, err := render(t, original, withFields("metadata.labels.team", expression)).Copy(in("one", "a"))
		var failed *destination.RenderError
		require.ErrorAs(t, err, &failed)
		assert.Contains(t, err.Error(), message)
		assert.NotContains(t, err.Error(), "c4n4ry")
		assert.Equal(t, "one/settings", desired.At.String())
	}
}

func TestValuesOfSecrets(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	secret := `{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: home}, type: Opaque, data: {user: ` + encoded + `}}`
	object := copyOfTarget(t, render(t, secret, withFields("data.url", "'db://' + string(source.data['user']) + '@' + target.name")), in("one", "a"))
	assert.Equal(t, map[string]any{
		"user": encoded, "url": base64.StdEncoding.EncodeToString([]byte("db://" + canary + "@one")),
	}, object.Object["data"])

	for _, path := range []string{"metadata.annotations.user", "metadata.labels.user", "type"} {
		for _, expression := range []string{"string(source.data['user'])", "target.name + string(source.data['user'])", "source.map(k, string(source[k]))[0]", "[target.name, string(source)][0]"} {
			rule := withFields(path, expression)
			renderer, err := destination.Render(source(t, secret), owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
			told := fmt.Sprint(err)
			if err == nil {
				desired, err := renderer.Copy(in("one", "a"))
				told = fmt.Sprint(err)
				if err == nil {
					told += fmt.Sprint(copyOfTarget(t, renderer, in("one", "a")).Object["metadata"], desired.Hash)
				}
			}
			assert.NotContains(t, told, canary)
			assert.NotContains(t, told, encoded)
		}
	}
}

// Keys of a Secret that become a ConfigMap are public, and still they go into data alone.
func TestValuesOfPublicKeys(t *testing.T) {
	secret := `{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: home}, data: {ca.crt: Y2E=, tls.key: ` +
		base64.StdEncoding.EncodeToString([]byte(canary)) + `}}`
	rule := withFields("data.bundle", "source.data['ca.crt'] + target.name")
	rule.Spec.Source.Kind, rule.Spec.Destination.Kind, rule.Spec.Content.Data.Include = "Secret", "ConfigMap", []string{"ca.crt"}
	object := copyOfTarget(t, render(t, secret, rule), in("one", "a"))
	assert.Equal(t, map[string]any{"ca.crt": "ca", "bundle": "caone"}, object.Object["data"])

	for _, field := range [][]string{{"data.bundle", "target.name + source.data['tls.key']"}, {"metadata.labels.ca", "target.name + source.data['ca.crt']"}} {
		rule.Spec.Overlay.Fields = withFields(field...).Spec.Overlay.Fields
		_, err := render(t, secret, rule).Copy(in("one", "a"))
		require.EqualError(t, err, "overlay.fields[0]: no such key")
	}
}

func TestValueOfALabelWinsOverTheOverlay(t *testing.T) {
	rule := withFields(`metadata.labels["team"]`, "target.labels['team']", "metadata.annotations.note", "target.labels[?'none']")
	rule.Spec.Overlay.Labels = map[string]v1.LabelValue{"team": "overlay"}
	rule.Spec.Overlay.Annotations = map[string]v1.AnnotationValue{"note": "overlay"}
	object := copyOfTarget(t, render(t, original, rule), in("one", "a"))
	assert.Equal(t, "a", object.GetLabels()["team"])
	assert.Equal(t, "overlay", object.GetAnnotations()["note"], "a field without a value stays as it is")
}

// A copy that only has to exist gets its values when it is created, and keeps them.
func TestCopyThatOnlyHasToExistKeepsItsValues(t *testing.T) {
	for name, fields := range map[string][]string{"of its target": {"data.team", "target.labels['team']"}, "of the source": {"data.from", "source.data.color"}} {
		before, err := render(t, settings("red"), withFields(fields...)).Copy(in("one", "a"))
		require.NoError(t, err)
		after, err := render(t, settings("blue"), withFields(fields...)).Copy(in("one", "b"))
		require.NoError(t, err)
		assert.NotEqual(t, before.Content, after.Content, name)
		assert.Equal(t, before.OnlyToExist(false).Content, after.OnlyToExist(false).Content, name)
		assert.NotEqual(t, before.OnlyToExist(false).Rendered, after.OnlyToExist(false).Rendered, "%s: a new copy has the new values", name)
	}
}

func TestTypeOfAConvertedCopyIsSet(t *testing.T) {
	rule := withFields("type", "'example.com/' + target.name", "data.more", "'x'")
	rule.Spec.Destination.Kind = "Secret"
	object := copyOfTarget(t, render(t, original, rule), in("one", "a"))
	assert.Equal(t, "example.com/one", object.Object["type"])
	assert.Equal(t, map[string]any{"color": "cmVk", "more": "eA=="}, object.Object["data"])

	rule = withFields("type", "target.name == 'one' ? 'kubernetes.io/service-account-token' : 'Opaque'")
	rule.Spec.Destination.Kind = "Secret"
	_, err := render(t, original, rule).Copy(in("one", "a"))
	require.EqualError(t, err, "a Secret of type kubernetes.io/service-account-token is a credential of its namespace, and is never copied")
	_, err = render(t, original, rule).Copy(in("two", "a"))
	require.NoError(t, err)
}

// A ConfigMap that a value makes immutable names the uid of its source, like one whose source is immutable.
func TestImmutableByAValue(t *testing.T) {
	object := copyOfTarget(t, render(t, original, withFields("immutable", "target.name == 'one'")), in("one", "a"))
	assert.Equal(t, "u-1", object.GetAnnotations()[v1.AnnotationSourceUID])
	object = copyOfTarget(t, render(t, original, withFields("immutable", "target.name == 'one'")), in("two", "a"))
	assert.NotContains(t, object.GetAnnotations(), v1.AnnotationSourceUID)
}

// A dot in front of the name means the variable, and not the one of the loop.
func TestTargetBehindALoop(t *testing.T) {
	renderer := render(t, original, withFields("data.at", "[1].map(target, .target.name + '/' + string(.target.labels.size()))[0]"))
	assert.Equal(t, map[string]any{"color": "red", "at": "one/1"}, copyOfTarget(t, renderer, in("one", "a")).Object["data"])
}

// A value makes the copy mutable that has an immutable source: then it does not name the uid.
func TestMutableByAValue(t *testing.T) {
	renderer := render(t, original+"immutable: true\n", withFields("immutable", "target.name != 'one'"))
	assert.NotContains(t, copyOfTarget(t, renderer, in("one", "a")).GetAnnotations(), v1.AnnotationSourceUID)
	assert.Equal(t, "u-1", copyOfTarget(t, renderer, in("two", "a")).GetAnnotations()[v1.AnnotationSourceUID])
}

// A field that is excluded and set is the rule's.
func TestFieldThatIsExcludedAndSet(t *testing.T) {
	rule := withFields("spec.replicas", "target.name == 'one' ? 3 : 1")
	rule.Spec.Source = v1.SourceRef{Group: "apps", Kind: "Deployment", Namespace: "home", Name: "shop"}
	rule.Spec.Content.Fields.Exclude = []string{"spec.replicas"}
	object := copyOfTarget(t, render(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: shop, namespace: home}, spec: {replicas: 7, paused: true}}`, rule), in("one", "a"))
	assert.Equal(t, map[string]any{"replicas": int64(3), "paused": true}, object.Object["spec"])
}
