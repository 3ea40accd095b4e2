package watch

import "k8s.io/apimachinery/pkg/runtime/schema"

// kindInNamespace are the objects of a kind in a namespace.
type kindInNamespace struct {
	kind      schema.GroupVersionResource
	namespace string
}

// selectionIndex are the rules with selectors, by the namespaces in which they select. An event in another namespace costs one look-up.
type selectionIndex map[kindInNamespace]map[RuleKey]struct{}

// set puts what the rule selects in the place of what it selected before. Nil: nothing.
func (x selectionIndex) set(rule RuleKey, before, now *interest) {
	if before != nil {
		for _, source := range before.selectors {
			in := kindInNamespace{source.Kind, source.Namespace}
			delete(x[in], rule)
			if len(x[in]) == 0 {
				delete(x, in)
			}
		}
	}
	if now == nil {
		return
	}
	for _, source := range now.selectors {
		in := kindInNamespace{source.Kind, source.Namespace}
		if x[in] == nil {
			x[in] = map[RuleKey]struct{}{}
		}
		x[in][rule] = struct{}{}
	}
}

// of returns the rules that select objects of the kind.
func (x selectionIndex) of(kind schema.GroupVersionResource) map[RuleKey]struct{} {
	rules := map[RuleKey]struct{}{}
	for in, selecting := range x {
		if in.kind == kind {
			for rule := range selecting {
				rules[rule] = struct{}{}
			}
		}
	}
	return rules
}
