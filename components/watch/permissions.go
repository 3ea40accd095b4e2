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
	limited byNamespace[policy.Permission]
}

// NewPermissions returns Permissions of no rule.
func NewPermissions() *Permissions { return &Permissions{} }

// Set notes the permission of the rule's source. It is called before the reconcile reads the labels of namespaces, so that no change falls
// between the two.
func (p *Permissions) Set(rule RuleKey, permission policy.Permission) {
	if p != nil {
		p.limited.set(rule, permission, permission.IsLimited())
	}
}

// Permits reports whether the rule's source permits a copy in the namespace; nil: there is no namespace.
func (p *Permissions) Permits(rule RuleKey, namespace metav1.Object) bool {
	if p == nil || namespace == nil {
		return namespace != nil
	}
	return p.limited.get(rule).Permits(namespace.GetLabels())
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
