package destination_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

// naming returns the naming of a rule of ConfigMaps with the expression, and counts evaluations.
func naming(t *testing.T, known *destination.TargetTexts, evaluations *int, expression string) *destination.Naming {
	t.Helper()
	with := destination.Rendering{KnownNames: known, Timing: expressions.Timing{Observe: func(time.Duration, bool) { *evaluations++ }}}
	found, err := with.NamingOf("tenant", owner.Spec{Source: v1.SourceRef{Kind: "ConfigMap"}, Name: "settings", NameExpression: expression})
	require.NoError(t, err)
	return found
}

func TestNamesOfCopies(t *testing.T) {
	from := &metav1.ObjectMeta{Name: "settings", Namespace: "home", Labels: map[string]string{"app": "shop"}}
	for expression, names := range map[string][2]string{
		"":                                 {"settings", "settings"},
		"'shared-' + source.metadata.name": {"shared-settings", "shared-settings"},
		"target.name + '-' + source.metadata.labels.app": {"one-shop", "two-shop"},
		"target.labels.team":                             {"a", "b"},
	} {
		evaluations := 0
		naming := naming(t, nil, &evaluations, expression)
		assert.Equal(t, strings.Contains(expression, "target"), naming.DependsOnTarget(), expression)
		for i, target := range []destination.Target{in("one", "a"), in("two", "b")} {
			name, err := naming.Of(from).In(target)
			require.NoError(t, err, expression)
			assert.Equal(t, names[i], name, expression)
		}
	}
}

func TestWhatIsNoName(t *testing.T) {
	rbac := v1.SourceRef{Group: "rbac.authorization.k8s.io", Kind: "Role"}
	for expression, want := range map[string]struct {
		of    v1.SourceRef
		wrong string
	}{
		"'Not_A_Name'":          {wrong: `destination.nameExpression results in "Not_A_Name", which cannot be the name of an object: a lowercase RFC 1123 subdomain`},
		"''":                    {wrong: `destination.nameExpression results in "", which cannot be the name of an object: it is empty`},
		"target.labels.none":    {wrong: "destination.nameExpression: line 1, column 14: no such key: none"},
		"target.labels":         {wrong: "spec"},
		"source.data.a":         {wrong: "destination.nameExpression: line 1, column 12: no such key: data"},
		"'system:' + 'Reader'":  {of: rbac},
		"'a/b'":                 {of: rbac, wrong: `destination.nameExpression results in "a/b", which cannot be the name of an object: may not contain '/'`},
		"'..'":                  {of: rbac, wrong: `results in "..", which cannot be the name of an object: may not be '..'`},
		"target.labels.longest": {},
		"target.labels.long":    {wrong: "which cannot be the name of an object: it has more than 253 characters"},
	} {
		if want.of.Kind == "" {
			want.of.Kind = "ConfigMap"
		}
		naming, err := destination.Rendering{}.NamingOf("tenant", owner.Spec{Source: want.of, NameExpression: expression})
		if want.wrong == "spec" {
			_, isInput := err.(*mutations.InputError) //nolint:errorlint // exactly that
			require.True(t, isInput, "%v", err)
			require.EqualError(t, err, "destination.nameExpression: the result is not a string, and a name is one")
			continue
		}
		require.NoError(t, err, expression)
		target := in("one", "a")
		target.Labels["longest"], target.Labels["long"] = strings.Repeat("n", 253), strings.Repeat("n", 254)
		name, err := naming.Of(&metav1.ObjectMeta{Name: "settings"}).In(target)
		if want.wrong == "" {
			require.NoError(t, err, expression)
			assert.NotEmpty(t, name, expression)
			continue
		}
		require.ErrorContains(t, err, want.wrong, expression)
		assert.Empty(t, name, expression)
		assert.Less(t, len(err.Error()), 500, expression)
	}
}

// TestNamesAreRemembered counts evaluations: of a rule in sync, none.
func TestNamesAreRemembered(t *testing.T) {
	known, evaluations := &destination.TargetTexts{}, 0
	reconcile := func(expression, app string, targets ...destination.Target) (count int) {
		evaluations = 0
		names := naming(t, known, &evaluations, expression).Of(&metav1.ObjectMeta{Name: "settings", Labels: map[string]string{"app": app}})
		for _, target := range targets {
			_, err := names.In(target)
			require.NoError(t, err)
		}
		return evaluations
	}
	one, two := in("one", "a"), in("two", "b")
	const ofTarget, ofSource = "target.labels.team + source.metadata.labels.app", "source.metadata.labels.app"
	assert.Equal(t, 2, reconcile(ofTarget, "x", one, two))
	assert.Zero(t, reconcile(ofTarget, "x", one, two))
	one.Version = "2"
	assert.Equal(t, 1, reconcile(ofTarget, "x", one, two), "a namespace has changed")
	assert.Equal(t, 2, reconcile(ofTarget, "y", one, two), "the source has")
	assert.Equal(t, 1, reconcile(ofSource, "y", one, two))
	assert.Zero(t, reconcile(ofSource, "y", one, two))
}

func TestErrorsOfNamesAreRemembered(t *testing.T) {
	for _, expression := range []string{"target.labels.none", "source.metadata.labels.none", "'Not a name'", "target.name + '_'"} {
		known, evaluations := &destination.TargetTexts{}, 0
		for range 3 {
			_, err := naming(t, known, &evaluations, expression).Of(&metav1.ObjectMeta{}).In(in("one", "a"))
			require.Error(t, err)
		}
		assert.Equal(t, 1, evaluations, expression)
	}
}
