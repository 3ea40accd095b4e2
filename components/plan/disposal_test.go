package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/plan"
)

func TestDisposalOfACopyThatIsNotWanted(t *testing.T) {
	const ruleDeleted, targetDropped, sourceGone = v1.RetainRuleDeleted, v1.RetainTargetDropped, v1.RetainSourceGone
	tests := map[string]struct {
		causes                      plan.Causes
		retain                      []v1.RetainCause
		ofAnother, refused, mayHide bool
		becomes                     plan.Disposal
	}{
		"another copy replaces it":             {retain: []v1.RetainCause{ruleDeleted, targetDropped, sourceGone}, becomes: plan.DeleteIt},
		"no cause is listed":                   {causes: plan.Causes{TargetDropped: true}, becomes: plan.DeleteIt},
		"the namespace is no target":           {causes: plan.Causes{TargetDropped: true}, retain: []v1.RetainCause{targetDropped}, becomes: plan.RetainIt},
		"the rule is deleted":                  {causes: plan.Causes{RuleDeleted: true}, retain: []v1.RetainCause{ruleDeleted}, becomes: plan.RetainIt},
		"the source does not exist":            {causes: plan.Causes{SourceGone: true}, retain: []v1.RetainCause{sourceGone}, becomes: plan.KeepIt},
		"one of two causes is listed":          {causes: plan.Causes{SourceGone: true, TargetDropped: true}, retain: []v1.RetainCause{sourceGone}, becomes: plan.DeleteIt},
		"the other one of two is listed":       {causes: plan.Causes{SourceGone: true, TargetDropped: true}, retain: []v1.RetainCause{targetDropped}, becomes: plan.DeleteIt},
		"both causes are listed":               {causes: plan.Causes{SourceGone: true, TargetDropped: true}, retain: []v1.RetainCause{sourceGone, targetDropped}, becomes: plan.RetainIt},
		"the rule is deleted without a source": {causes: plan.Causes{SourceGone: true, RuleDeleted: true}, retain: []v1.RetainCause{sourceGone}, becomes: plan.DeleteIt},
		"it is of another source":              {causes: plan.Causes{SourceGone: true}, retain: []v1.RetainCause{sourceGone}, ofAnother: true, becomes: plan.DeleteIt},
		"an owner does not consent":            {causes: plan.Causes{SourceGone: true}, retain: []v1.RetainCause{sourceGone}, refused: true, becomes: plan.DeleteIt},
		"it hides layers, and would be nobody's": {
			causes: plan.Causes{TargetDropped: true}, retain: []v1.RetainCause{targetDropped}, mayHide: true, becomes: plan.DeleteIt,
		},
		"it hides layers, and stays a copy": {causes: plan.Causes{SourceGone: true}, retain: []v1.RetainCause{sourceGone}, mayHide: true, becomes: plan.KeepIt},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			unwanted := plan.Unwanted{
				Causes: test.causes, HidesLayers: test.mayHide,
				IsOfRule: func() bool { return !test.ofAnother }, Consents: func() bool { return !test.refused },
			}
			assert.Equal(t, test.becomes, unwanted.Disposal(v1.Policy{Retain: test.retain}))
		})
	}
}
