package clusterrole

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a ClusterRole.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a ClusterRole and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the rules, the aggregation rule.
type Mutator struct {
	record.Mutator

	rules       record.Edits[*editors.PolicyRulesEditor]
	aggregation record.Edits[*rbacv1.ClusterRole]
	object      *rbacv1.ClusterRole
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *rbacv1.ClusterRole) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta), object: object}
	m.rules = record.NewEdits(m.Recorder, editors.NewPolicyRulesEditor(&object.Rules))
	m.aggregation = record.NewEdits(m.Recorder, object)
	return m
}

// EditRules records an edit of the rules. Nil is ignored.
func (m *Mutator) EditRules(edit func(*editors.PolicyRulesEditor) error) { m.rules.Record(edit) }

// AddRule records a rule to be appended.
func (m *Mutator) AddRule(rule rbacv1.PolicyRule) {
	recorded := rule.DeepCopy()
	m.rules.RecordCall(func(e *editors.PolicyRulesEditor) { e.AddRule(*recorded) })
}

// SetAggregationRule records the rule by which the control plane fills in the rules; nil for none. The last one of a feature
// counts.
func (m *Mutator) SetAggregationRule(rule *rbacv1.AggregationRule) {
	recorded := rule.DeepCopy()
	m.aggregation.RecordCall(func(object *rbacv1.ClusterRole) { object.AggregationRule = recorded.DeepCopy() })
}

// Apply carries out the recorded edits. Where there is an aggregation rule, the control plane writes the rules: they are not
// sent, since each apply would undo its work.
func (m *Mutator) Apply() error {
	if err := m.Mutator.Apply(); err != nil {
		return err
	}
	if m.object.AggregationRule != nil {
		m.object.Rules = nil
	}
	return nil
}
