package forecast

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
)

func TestNamesThatCopiesCannotHave(t *testing.T) {
	rule := owner.Spec{
		Source: v1.SourceRef{Kind: "ConfigMap", Namespace: "home", Selector: &v1.SourceSelector{}}, NameExpression: "source.metadata.labels.app",
	}
	first, second := rule.For("a"), rule.For("b")
	refused := func(n *names, spec owner.Spec, target plan.Target) string {
		n.refuse(spec, &target)
		if target.Unnamed == nil {
			return ""
		}
		return target.Unnamed.Error()
	}
	n := namesOf(rule, []owner.Spec{first, second})
	assert.Empty(t, refused(n, first, plan.Target{Namespace: "one", Name: "copy"}))
	assert.Contains(t, refused(n, second, plan.Target{Namespace: "one", Name: "copy"}), "which is the name of the copy of home/a")
	assert.Empty(t, refused(n, second, plan.Target{Namespace: "two", Name: "copy"}))
	assert.Contains(t, refused(n, first, plan.Target{Namespace: "home", Name: "b"}), "which is another source of this rule")
	assert.Empty(t, refused(n, first, plan.Target{Namespace: "one", Name: "copy", NotPermitted: "the owner does not permit it"}))
	first.CopyKind = "Secret"
	assert.Empty(t, refused(n, first, plan.Target{Namespace: "home", Name: "b"}))
	assert.Empty(t, refused(namesOf(owner.Spec{}, nil), first, plan.Target{Namespace: "one", Name: "copy"}), "names are no expressions")
}
