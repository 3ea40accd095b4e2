package destination

import "k8s.io/apimachinery/pkg/types"

// placeIndex are sets of places by rule.
type placeIndex map[types.NamespacedName]map[types.NamespacedName]struct{}

func (p placeIndex) add(rule, at types.NamespacedName) {
	if p[rule] == nil {
		p[rule] = map[types.NamespacedName]struct{}{}
	}
	p[rule][at] = struct{}{}
}

func (p placeIndex) remove(rule, at types.NamespacedName) {
	delete(p[rule], at)
	if len(p[rule]) == 0 {
		delete(p, rule)
	}
}
