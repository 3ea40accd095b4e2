package watch

import "sync"

// byNamespace holds what is known of rules, by their namespace; ClusterProjections have none. It is safe for concurrent use.
type byNamespace[V any] struct {
	mu sync.RWMutex
	of map[string]map[RuleKey]V
}

// set notes the value of the rule, or forgets the rule.
func (b *byNamespace[V]) set(rule RuleKey, value V, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rules := b.of[rule.Namespace]
	switch {
	case !known:
		delete(rules, rule)
		if len(rules) == 0 {
			delete(b.of, rule.Namespace)
		}
	case rules == nil:
		if b.of == nil {
			b.of = map[string]map[RuleKey]V{}
		}
		b.of[rule.Namespace] = map[RuleKey]V{rule: value}
	default:
		rules[rule] = value
	}
}

// get returns the value of the rule; zero: it is not known.
func (b *byNamespace[V]) get(rule RuleKey) V {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.of[rule.Namespace][rule]
}
