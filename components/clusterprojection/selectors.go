package clusterprojection

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// eventMatcher reports which rules an event of a namespace concerns. It asks each rule about one namespace, so it reads a list
// of names as it is, and keeps selectors that it has parsed. Its calls must not overlap.
type eventMatcher struct {
	*Namespaces

	parsed map[types.UID]parsedSelector
}

// parsedSelector is the selector of one generation of a rule.
type parsedSelector struct {
	generation int64
	selector   labels.Selector
	waves      waves
	err        error
}

func newEventMatcher(namespaces *Namespaces) *eventMatcher {
	return &eventMatcher{Namespaces: namespaces, parsed: map[types.UID]parsedSelector{}}
}

// isTarget reports whether the namespace is a target of the rule. A selector that cannot be read selects none: the rule's own
// reconcile reports it. If it is not known whether the rule copies into the cluster, the rule is enqueued when it is.
func (m *eventMatcher) isTarget(rule *v1.ClusterProjection, namespace metav1.Object) bool {
	if namespace == nil {
		return false
	}
	scope, err := m.scopeOf(rule)
	if err != nil || !scope.IsTarget {
		return false
	}
	if rule.Spec.Destination.NamespaceSelector == nil {
		return isAlive(namespace) && slices.Contains(rule.Spec.Destination.Namespaces, namespace.GetName()) && scope.excludes(namespace.GetName()) == ""
	}
	parsed := m.parse(rule)
	return parsed.err == nil && m.selects(rule, scope, parsed.selector, namespace)
}

func (m *eventMatcher) parse(rule *v1.ClusterProjection) parsedSelector {
	parsed, found := m.parsed[rule.UID]
	if !found || parsed.generation != rule.Generation {
		parsed = parsedSelector{generation: rule.Generation, waves: wavesOf(rule)}
		if rule.Spec.Destination.NamespaceSelector != nil {
			parsed.selector, parsed.err = selectorOf(rule)
		}
		m.parsed[rule.UID] = parsed
	}
	return parsed
}

// changesWave reports whether the namespace has come into another wave of a rollout. Whether copies wait may not be in the status yet.
func (m *eventMatcher) changesWave(rule *v1.ClusterProjection, before, after metav1.Object) bool {
	if before == nil || after == nil || rule.Spec.Rollout == nil {
		return false
	}
	waves := m.parse(rule).waves
	return waves.of(before.GetLabels()) != waves.of(after.GetLabels())
}

// forget drops the selectors if most of them are of rules that are gone: there are so many rules now.
func (m *eventMatcher) forget(rules int) {
	if len(m.parsed) > 2*rules {
		clear(m.parsed)
	}
}
