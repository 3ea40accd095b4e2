package destination_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/mutations"
)

// counted counts evaluations: for the source, and for each target.
type counted struct{ evaluations int }

func (c *counted) with(known *destination.TargetTexts) destination.Rendering {
	return destination.Rendering{Known: known, Timing: expressions.Timing{Observe: func(time.Duration, bool) { c.evaluations++ }}}
}

// A reconcile evaluates what has changed, and what it has to write.
func TestNothingIsEvaluatedForCopiesInSync(t *testing.T) {
	for name, test := range map[string]struct {
		fields                             []string
		first, again, written, edited, one int
	}{
		"the same for all": {fields: []string{"data.a", "source.data.color"}, first: 1, written: 1, edited: 1, one: 0},
		"of each target":   {fields: []string{"data.a", "target.name"}, first: 3, written: 3, edited: 3, one: 1},
		"both":             {fields: []string{"data.a", "source.data.color", "data.b", "target.name"}, first: 4, written: 4, edited: 4, one: 2},
	} {
		known, rule := &destination.TargetTexts{}, withFields(test.fields...)
		reconcile := func(manifest string, writes bool, targets ...destination.Target) (evaluations int) {
			counted := &counted{}
			renderer := renderWith(t, counted.with(known), manifest, rule)
			for _, target := range targets {
				desired, err := renderer.Copy(target)
				require.NoError(t, err)
				if writes {
					resource, err := desired.Resource(nil)
					require.NoError(t, err)
					object, err := resource.PreviewObject()
					require.NoError(t, err)
					assert.Equal(t, desired.Hash, mutations.ContentHash(object))
				}
			}
			return counted.evaluations
		}
		all := []destination.Target{in("one", "a"), in("two", "b"), in("three", "c")}
		assert.Equal(t, test.first, reconcile(original, false, all...), name)
		assert.Equal(t, test.again, reconcile(original, false, all...), name)
		assert.Equal(t, test.written, reconcile(original, true, all...), "%s: nothing but what is written", name)
		assert.Equal(t, test.edited, reconcile(settings("blue"), false, all...), name)
		all[1].Version = "2"
		assert.Equal(t, test.one, reconcile(settings("blue"), false, all...), "%s: a namespace has changed", name)
	}
}

func TestErrorsAreRemembered(t *testing.T) {
	for fields, evaluations := range map[string]int{"source.data.none": 1, "target.labels.none": 1} {
		known, counted, rule := &destination.TargetTexts{}, &counted{}, withFields("data.a", fields)
		for range 3 {
			renderer, err := counted.with(known).Render(source(t, original), owner.IdentityOf(owner.Projection, rule), specOf(rule), "v1.36.0")
			if err == nil {
				_, err = renderer.Copy(in("one", "a"))
			}
			require.ErrorContains(t, err, "no such key: none")
		}
		assert.Equal(t, evaluations, counted.evaluations, fields)
	}
}

// The hashes of namespaces that are no targets any more are forgotten, and those of the others stay, however many there are.
func TestHashesOfOthersAreForgotten(t *testing.T) {
	known, counted, rule := &destination.TargetTexts{}, &counted{}, withFields("data.a", "target.name")
	reconcile := func(first, last int) (evaluations int) {
		counted.evaluations = 0
		renderer := renderWith(t, counted.with(known), original, rule)
		for i := first; i < last; i++ {
			_, err := renderer.Copy(in(fmt.Sprint("namespace-", i), "a"))
			require.NoError(t, err)
		}
		known.Retain(last-first, func(yield func(string) bool) {
			for i := first; i < last && yield(fmt.Sprint("namespace-", i)); i++ {
			}
		})
		return counted.evaluations
	}
	assert.Equal(t, 12_000, reconcile(0, 12_000))
	assert.Zero(t, reconcile(0, 12_000))
	assert.Zero(t, reconcile(0, 11_000))
	assert.Equal(t, 1000, reconcile(0, 12_000), "those that came back")
}

// What is remembered of a target counts for the same rule, the same source and the same version of the namespace.
func TestHashesAreRemembered(t *testing.T) {
	known := &destination.TargetTexts{}
	hash := func(manifest string, target destination.Target, fields ...string) string {
		renderer := renderWith(t, destination.Rendering{Known: known}, manifest, withFields(fields...))
		desired, err := renderer.Copy(target)
		require.NoError(t, err)
		return desired.Hash
	}
	fields := []string{"data.team", "target.labels['team'] + source.metadata.labels.team"}
	first := hash(original, in("one", "a"), fields...)
	stale := in("one", "changed without a version")
	assert.Equal(t, first, hash(original, stale, fields...), "nothing is evaluated")
	unversioned := stale
	unversioned.Version = ""
	assert.NotEqual(t, first, hash(original, unversioned, fields...))
	newer := in("one", "b")
	newer.Version = "2"
	assert.NotEqual(t, first, hash(original, newer, fields...))
	assert.NotEqual(t, first, hash(original, in("two", "b"), fields...))
	assert.NotEqual(t, first, hash(settings("blue"), in("one", "a"), "data.team", "target.labels['team']"))
	assert.Equal(t, first, hash(original, in("one", "a"), fields...))
}

// Labels of the source that are not copied are seen by expressions, so a change of them has to be noticed.
func TestHashesAreNotRememberedForOtherLabelsOfTheSource(t *testing.T) {
	known := &destination.TargetTexts{}
	hash := func(label string) string {
		rule := withFields("data.stage", "target.labels['team'] + source.metadata.labels['stage']")
		rule.Spec.Content.Labels.Exclude = []string{"*"}
		renderer := renderWith(t, destination.Rendering{Known: known},
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: home, labels: {stage: `+label+`}}}`, rule)
		desired, err := renderer.Copy(in("one", "a"))
		require.NoError(t, err)
		return desired.Hash
	}
	assert.NotEqual(t, hash("test"), hash("production"))
}

// What a copy was to have before its namespace was changed shows that a change concerns no other copy.
func TestContentBeforeANamespaceWasChanged(t *testing.T) {
	known, rule := &destination.TargetTexts{}, withFields("data.a", "target.labels.team")
	copyIn := func(manifest, version, team string) destination.DesiredCopy {
		desired, err := renderWith(t, destination.Rendering{Known: known}, manifest, rule).Copy(destination.Target{
			Namespace: "one", Version: version, Labels: map[string]string{"team": team},
		})
		require.NoError(t, err)
		return desired
	}
	first := copyIn(original, "1", "a")
	assert.Empty(t, first.Before)
	assert.Empty(t, copyIn(original, "2", "a").Before, "the labels that count are the same")
	second := copyIn(original, "3", "b")
	assert.Equal(t, first.Content, second.Before)
	assert.NotEqual(t, first.Content, second.Content)
	assert.Equal(t, first.Content, copyIn(original, "4", "b").Before, "until another label counts")
	assert.Empty(t, copyIn(settings("blue"), "5", "c").Before, "the source has changed, too")
	known = nil
	assert.Empty(t, copyIn(settings("blue"), "6", "d").Before, "nothing is remembered")
}
