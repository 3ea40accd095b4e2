package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/editors"
)

func TestPolicyRules(t *testing.T) {
	rule := func(verb string) rbacv1.PolicyRule { return rbacv1.PolicyRule{Verbs: []string{verb}} }
	var rules []rbacv1.PolicyRule
	editor := editors.NewPolicyRulesEditor(&rules)
	assert.Same(t, &rules, editor.Raw())
	for _, verb := range []string{"get", "list", "get"} {
		editor.AddRule(rule(verb))
	}
	assert.Equal(t, []rbacv1.PolicyRule{rule("get"), rule("list"), rule("get")}, rules)
	editor.RemoveRuleByIndex(3)
	editor.RemoveRuleByIndex(-1)
	editor.RemoveRuleByIndex(1)
	assert.Equal(t, []rbacv1.PolicyRule{rule("get"), rule("get")}, rules)
	editor.RemoveRuleByIndex(0)
	editor.RemoveRuleByIndex(0)
	assert.Nil(t, rules)
	editor.SetRules([]rbacv1.PolicyRule{rule("watch")})
	assert.Equal(t, []rbacv1.PolicyRule{rule("watch")}, rules)
	editor.Clear()
	assert.Nil(t, rules)
}

func TestBindingSubjects(t *testing.T) {
	var subjects []rbacv1.Subject
	editor := editors.NewBindingSubjectsEditor(&subjects)
	user := rbacv1.Subject{Kind: rbacv1.UserKind, Name: "a", APIGroup: rbacv1.GroupName}
	editor.EnsureSubject(rbacv1.Subject{Kind: rbacv1.UserKind, Name: "a"})
	editor.EnsureServiceAccount("a", "n")
	editor.EnsureServiceAccount("a", "m")
	editor.EnsureServiceAccount("a", "n")
	editor.EnsureSubject(user)
	assert.Equal(t, []rbacv1.Subject{
		user, {Kind: "ServiceAccount", Name: "a", Namespace: "n"}, {Kind: "ServiceAccount", Name: "a", Namespace: "m"},
	}, subjects, "the API group does not count")
	editor.RemoveServiceAccount("a", "n")
	editor.RemoveServiceAccount("absent", "n")
	assert.Equal(t, []rbacv1.Subject{user, {Kind: "ServiceAccount", Name: "a", Namespace: "m"}}, subjects)
	editor.RemoveSubject(rbacv1.UserKind, "a", "")
	editor.RemoveServiceAccount("a", "m")
	assert.Nil(t, subjects)
}
