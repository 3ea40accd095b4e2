package watch

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/policy"
)

// Permissions are those of the sources that permit copies only in some namespaces, by the rules that copy these sources. The labels of
// namespaces concern these rules. It is safe for concurrent use, and nil Permissions are those of no rule.
type Permissions struct {
	limited byNamespace[[]policy.Permission]
}

// NewPermissions returns Permissions of no rule.
func NewPermissions() *Permissions { return &Permissions{} }

// Set notes the permissions of the rule's sources. It is called before the reconcile reads the labels of namespaces, so that no change falls
// between the two.
func (p *Permissions) Set(rule RuleKey, permissions ...policy.Permission) {
	if p == nil {
		return
	}
	isLimited := slices.ContainsFunc(permissions, policy.Permission.IsLimited)
	p.limited.set(rule, permissions, isLimited)
}

// Permits reports whether one of the rule's sources permits a copy in the namespace; nil: there is no namespace.
func (p *Permissions) Permits(rule RuleKey, namespace metav1.Object) bool {
	if p == nil || namespace == nil {
		return namespace != nil
	}
	permissions := p.limited.get(rule)
	return len(permissions) == 0 || slices.ContainsFunc(permissions, func(permission policy.Permission) bool {
		return permission.Permits(namespace.GetLabels())
	})
}

// Change reports whether one of several sources of the rule permits a copy in the namespace before a change and not after it, or the other way
// round.
func (p *Permissions) Change(rule RuleKey, before, after metav1.Object) bool {
	if p == nil || before == nil || after == nil {
		return false
	}
	permissions := p.limited.get(rule)
	return len(permissions) > 1 && slices.ContainsFunc(permissions, func(permission policy.Permission) bool {
		return permission.Permits(before.GetLabels()) != permission.Permits(after.GetLabels())
	})
}

// Limited returns the rules in the namespace whose sources permit copies only in some namespaces.
func (p *Permissions) Limited(namespace string) []RuleKey {
	if p == nil {
		return nil
	}
	p.limited.mu.RLock()
	defer p.limited.mu.RUnlock()
	return slices.Collect(maps.Keys(p.limited.of[namespace]))
}
