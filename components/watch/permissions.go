package watch

import (
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/policy"
)

// Permissions are those of the sources that permit copies only in some namespaces, by the rules that copy these sources. The labels of
// namespaces concern these rules. It is safe for concurrent use, and nil Permissions are those of no rule.
type Permissions struct {
	mu sync.RWMutex
	// limited has the rules by their namespace; ClusterProjections have none.
	limited map[string]map[RuleKey]policy.Permission
}

// NewPermissions returns Permissions of no rule.
func NewPermissions() *Permissions {
	return &Permissions{limited: map[string]map[RuleKey]policy.Permission{}}
}

// Set notes the permission of the rule's source. It is called before the reconcile reads the labels of namespaces, so that no change falls
// between the two.
func (p *Permissions) Set(rule RuleKey, permission policy.Permission) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	rules := p.limited[rule.Namespace]
	switch {
	case !permission.IsLimited():
		delete(rules, rule)
		if len(rules) == 0 {
			delete(p.limited, rule.Namespace)
		}
	case rules == nil:
		p.limited[rule.Namespace] = map[RuleKey]policy.Permission{rule: permission}
	default:
		rules[rule] = permission
	}
}

// Permits reports whether the rule's source permits a copy in the namespace; nil: there is no namespace.
func (p *Permissions) Permits(rule RuleKey, namespace metav1.Object) bool {
	if p == nil || namespace == nil {
		return namespace != nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.limited[rule.Namespace][rule].Permits(namespace.GetLabels())
}

// Limited returns the rules in the namespace whose sources permit copies only in some namespaces.
func (p *Permissions) Limited(namespace string) []RuleKey {
	if p == nil {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Collect(maps.Keys(p.limited[namespace]))
}
