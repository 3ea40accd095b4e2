package oracle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// TestConflictsAreResolvedAsTheRuleSays puts a foreign object in the place of one of two copies. It is left alone, or was adopted.
func TestConflictsAreResolvedAsTheRuleSays(t *testing.T) {
	const same, other, more = `data: {size: "1"}`, `data: {size: "2"}`, `data: {size: "1", more: "2"}`
	const label = `labels: {color: red}, `
	tests := map[string]struct {
		policy          v1.ConflictPolicy
		marks, content  string
		adopted, right  bool
		counted, status int32
	}{
		"refused, left":                        {"", "", same, false, false, 2, 0},
		"adopted without being asked":          {v1.ConflictSkip, "", same, true, false, 2, 0},
		"skipped":                              {v1.ConflictSkip, "", same, false, true, 1, 1},
		"skipped, and not counted":             {v1.ConflictSkip, "", same, false, false, 2, 0},
		"to be adopted":                        {v1.ConflictAdopt, "", other, false, false, 2, 0},
		"adopted":                              {v1.ConflictAdopt, label, other, true, true, 2, 0},
		"adopted, with a further key":          {v1.ConflictAdopt, "", more, true, true, 2, 0},
		"adopted if identical":                 {v1.ConflictAdoptIdentical, label, same, true, true, 2, 0},
		"to be adopted if identical":           {v1.ConflictAdoptIdentical, label, same, false, false, 2, 0},
		"adopted though not identical":         {v1.ConflictAdoptIdentical, label, other, true, false, 2, 0},
		"adopted though there is another key":  {v1.ConflictAdoptIdentical, label, more, true, false, 2, 0},
		"adopted though the label is another":  {v1.ConflictAdoptIdentical, `labels: {color: blue}, `, same, true, false, 2, 0},
		"adopted though it belongs to another": {v1.ConflictAdopt, `annotations: {projection.sh/owned-by-projection: two/ghost}, `, same, true, false, 2, 0},
		"adopted though it was released":       {v1.ConflictAdopt, `labels: {projection.sh/owned-by-cluster-projection-uid: u-1}, `, same, true, false, 2, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := healthy(t)
			c.rule.Spec.Policy.OnConflict = test.policy
			at := oracle.Place{Kind: c.rule.Spec.Source.GroupKind(), Namespace: "two", Name: "settings"}
			after := c.Objects[at].DeepCopy()
			theirs := c.put(strings.ReplaceAll("{apiVersion: v1, kind: ConfigMap, metadata: {"+test.marks+"namespace: two, name: settings, uid: u-2}, "+test.content+"}", "\n", ""))
			c.foreign.Note(theirs.DeepCopy())
			if test.adopted {
				after.SetUID("u-2")
				if test.content == more {
					after.Object["data"].(map[string]any)["more"] = "2"
				}
				c.Objects[at] = after
			}
			status := &c.rule.Status
			status.NamespacesTargeted, status.NamespacesWritten = new(test.counted), new(test.counted)
			if test.status > 0 {
				status.NamespacesSkipped = new(test.status)
			}
			problems := oracle.Problems(c.State, c.foreign)
			assert.Equal(t, test.right, len(problems) == 0, "%v", problems)
		})
	}
}

func TestLayerInThePlaceOfTheCopyIsNotSkipped(t *testing.T) {
	c := healthy(t)
	layer := v1.Layer{Namespace: "two", Name: "settings", Optional: true}
	c.rule.Spec.Policy.OnConflict, c.rule.Spec.Merge = v1.ConflictSkip, &v1.Merge{Layers: []v1.Layer{layer}}
	c.rule.Spec.Destination.NamespaceSelector, c.rule.Spec.Destination.Namespaces = nil, []string{"one", "two"}
	c.foreign.Note(c.put("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: two, name: settings, uid: u-2}}"))
	problems := strings.Join(oracle.Problems(c.State, c.foreign), "\n")
	assert.NotContains(t, problems, "namespacesSkipped")
	assert.Contains(t, problems, "namespacesFailed is 0, not 1")
}
