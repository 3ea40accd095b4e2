package editors

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/internal/lists"
)

// PolicyRulesEditor edits the rules of a Role or ClusterRole.
type PolicyRulesEditor struct {
	wrapper[[]rbacv1.PolicyRule]
}

var _ RawEditor[[]rbacv1.PolicyRule] = (*PolicyRulesEditor)(nil)

// NewPolicyRulesEditor returns an editor of rules. A nil pointer is replaced by a list of the editor's own.
func NewPolicyRulesEditor(rules *[]rbacv1.PolicyRule) *PolicyRulesEditor {
	return &PolicyRulesEditor{wrapper[[]rbacv1.PolicyRule]{orNew(rules)}}
}

// AddRule appends a rule. Rules have no identity: an equal one is appended, too.
func (e *PolicyRulesEditor) AddRule(rule rbacv1.PolicyRule) {
	*e.raw = append(*e.raw, *rule.DeepCopy())
}

// SetRules replaces all rules.
func (e *PolicyRulesEditor) SetRules(rules []rbacv1.PolicyRule) { *e.raw = cloneAll(rules) }

// RemoveRuleByIndex removes the rule at a position, if there is one.
func (e *PolicyRulesEditor) RemoveRuleByIndex(index int) {
	if index >= 0 && index < len(*e.raw) {
		*e.raw = lists.NilIfEmpty(slices.Delete(*e.raw, index, index+1))
	}
}

// Clear removes all rules.
func (e *PolicyRulesEditor) Clear() { *e.raw = nil }
