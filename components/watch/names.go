package watch

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/expressions"
)

// Names are what the expressions of rules name, as their last reconciles found it. Events of namespaces ask for it, so that they compile
// nothing. A rule that was not reconciled yet names nothing: its first reconcile reads the namespaces as they are then. It is safe for
// concurrent use, and nil Names are those of no rule.
type Names struct {
	// rules are those that name the target.
	rules byNamespace[expressions.Names]
}

// NewNames returns Names of no rule.
func NewNames() *Names { return &Names{} }

// Set notes what the expressions of the rule name. It is called before the reconcile reads namespaces, so that no change falls between the
// two.
func (n *Names) Set(rule RuleKey, names expressions.Names) {
	if n != nil {
		n.rules.set(rule, names, names.Target)
	}
}

// Of returns what the expressions of the rule name.
func (n *Names) Of(rule RuleKey) expressions.Names {
	if n == nil {
		return expressions.Names{}
	}
	return n.rules.get(rule)
}

// ReadChange reports whether an expression of any rule without a namespace may give another value after the change of the namespace.
func (n *Names) ReadChange(before, after metav1.Object) bool {
	if n == nil {
		return false
	}
	n.rules.mu.RLock()
	defer n.rules.mu.RUnlock()
	for _, names := range n.rules.of[""] {
		if names.ReadsChange(before, after) {
			return true
		}
	}
	return false
}

// Affected returns the rules in the namespace whose expressions may give other values after the change of the namespace. Nil: it was not
// known before.
func (n *Names) Affected(before, after metav1.Object) (rules []RuleKey) {
	if n == nil || after == nil {
		return nil
	}
	n.rules.mu.RLock()
	defer n.rules.mu.RUnlock()
	for rule, names := range n.rules.of[after.GetName()] {
		if before == nil || names.ReadsChange(before, after) {
			rules = append(rules, rule)
		}
	}
	return rules
}
