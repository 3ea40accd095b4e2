package watch

import (
	"maps"
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

// Changes reports whether the rule's source permits a copy in a namespace since a change of the namespace, or no longer does.
func (p *Permissions) Changes(rule RuleKey, before, after metav1.Object) (gained, lost bool) {
	if p == nil {
		return false, false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	permission := p.limited[rule.Namespace][rule]
	did, does := permission.Permits(before.GetLabels()), permission.Permits(after.GetLabels())
	return does && !did, did && !does
}

// Limited returns the rules in the namespace whose sources permit copies only in some namespaces, with these permissions.
func (p *Permissions) Limited(namespace string) map[RuleKey]policy.Permission {
	if p == nil {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return maps.Clone(p.limited[namespace])
}
