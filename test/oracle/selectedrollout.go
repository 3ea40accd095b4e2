package oracle

import (
	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
)

// rolloutOf looks at what is said of the rollout of a rule that selects its sources and is as it has to be.
func (r *report) rolloutOf(rule *v1.ClusterProjection, g group, t tally) {
	said := rule.Status.Rollout
	if rule.Spec.Rollout == nil {
		r.expect("that a rollout is said", said != nil, false)
		r.expect("that namespacesHeld is said", rule.Status.NamespacesHeld != nil, false)
		return
	}
	r.expect("namespacesHeld", int(ptr.Deref(rule.Status.NamespacesHeld, -1)), 0)
	if g.sources > 0 && len(t.targeted) > 0 && len(t.failures) == 0 {
		r.expect("the rollout", ptr.Deref(said, v1.RolloutStatus{}), v1.RolloutStatus{Introduced: true})
	}
}
