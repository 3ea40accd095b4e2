package destination

import "k8s.io/apimachinery/pkg/types"

// places are sets of places by rule.
type places map[types.NamespacedName]map[types.NamespacedName]struct{}

func (p places) add(rule, at types.NamespacedName) {
	if p[rule] == nil {
		p[rule] = map[types.NamespacedName]struct{}{}
	}
	p[rule][at] = struct{}{}
}

func (p places) remove(rule, at types.NamespacedName) {
	delete(p[rule], at)
	if len(p[rule]) == 0 {
		delete(p, rule)
	}
}
