package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

func TestContentThatCannotBeCopied(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-content")
	rule := newSource(t, "true")
	name := rule.Spec.Source.Namespace + "/settings"
	for _, test := range []struct {
		data                        v1.DataFilter
		condition, reason, sentence string
		transient                   bool
	}{
		{
			v1.DataFilter{Include: []string{"color", "ca.crt"}}, v1.ConditionSourceResolved, v1.ReasonSourceIncomplete,
			"ConfigMap " + name + " has no key ca.crt yet; the copies follow when it does", true,
		},
		{
			v1.DataFilter{Include: []string{"b", "a"}}, v1.ConditionSourceResolved, v1.ReasonSourceIncomplete,
			"ConfigMap " + name + " has no keys a, b yet; the copies follow when it does", true,
		},
		{
			v1.DataFilter{Rename: []v1.KeyRename{{From: "color", To: "a{}"}}}, v1.ConditionDestinationWritten, v1.ReasonRenderFailed,
			"no copy can be made of ConfigMap " + name + "; copies are kept; correct the source or this rule " +
				`(the key color of the source would be called "a{}" in the copy, which cannot be a key: `, false,
		},
		{
			v1.DataFilter{Rename: []v1.KeyRename{{Pattern: "(", To: "a"}}}, v1.ConditionDestinationWritten, v1.ReasonRuleInvalid,
			`spec.content cannot be applied; copies are kept; correct it ("(" is no regular expression in the syntax of RE2: `, false,
		},
		{
			v1.DataFilter{Rename: []v1.KeyRename{{Pattern: "a", To: "$1"}}}, v1.ConditionDestinationWritten, v1.ReasonRuleInvalid,
			`spec.content cannot be applied; copies are kept; correct it (the new name "$1" refers to a group that the pattern does not have`, false,
		},
	} {
		rule.Spec.Content.Data = test.data
		_, err := planner.Make(t.Context(), rule, read)
		var stopped *plan.Error
		require.ErrorAs(t, err, &stopped)
		assert.Equal(t, test.condition, stopped.Condition)
		assert.Equal(t, test.reason, stopped.Reason)
		assert.Contains(t, stopped.Sentence(), test.sentence)
		assert.Equal(t, test.transient, stopped.Transient)
		assert.False(t, stopped.Retry)
	}
}

// Admission refuses such a rule. One that was stored before admission did so is not served.
func TestRuleThatCanBeAppliedToNoSource(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-kinds")
	rule := newSource(t, "true")
	rule.Spec.Destination.Kind = "Deployment"
	_, err := planner.Make(t.Context(), rule, read)
	var stopped *plan.Error
	require.ErrorAs(t, err, &stopped)
	assert.Equal(t, v1.ConditionDestinationWritten, stopped.Condition)
	assert.Equal(t, v1.ReasonRuleInvalid, stopped.Reason)
	assert.Equal(t, "this rule cannot be applied to ConfigMap "+rule.Spec.Source.Namespace+"/settings; copies are kept; correct it "+
		"(a ConfigMap cannot be copied as a Deployment)", stopped.Sentence())
	assert.False(t, stopped.Transient)
	assert.False(t, stopped.Retry)
}

func TestContentThatIsChosen(t *testing.T) {
	planner, read := newPlanner(t, "planner-of-keys")
	rule := newSource(t, "true")
	rule.Spec.Content.Data = v1.DataFilter{
		Include: []string{"color", "none"}, Rename: []v1.KeyRename{{Pattern: "c(.*)", To: "C$1"}}, AllowMissing: true,
	}
	planned, err := planner.Make(t.Context(), rule, read)
	require.NoError(t, err)
	copied, err := planned.Targets[0].Renderer.Copy(destination.Target{Namespace: "away"})
	require.NoError(t, err)
	resource, err := copied.Resource(nil)
	require.NoError(t, err)
	object, err := resource.PreviewObject()
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"Color": "red"}, object.Object["data"])
}
