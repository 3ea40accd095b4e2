package role

import (
	rbacv1 "k8s.io/api/rbac/v1"

	"projection.sh/operator/primitives/editors"
	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/generic"
	"projection.sh/operator/primitives/internal/record"
)

// Mutation is a named change of a Role.
type Mutation = feature.Mutation[*Mutator]

// Mutator records edits of a Role and carries them out with Apply: feature by feature, and within a feature in this
// order: the metadata, the rules.
type Mutator struct {
	record.Mutator

	rules record.Edits[*editors.PolicyRulesEditor]
}

var _ generic.FeatureMutator = (*Mutator)(nil)

// NewMutator returns a mutator that edits the object in place.
func NewMutator(object *rbacv1.Role) *Mutator {
	m := &Mutator{Mutator: record.NewMutator(&object.ObjectMeta)}
	m.rules = record.NewEdits(m.Recorder, editors.NewPolicyRulesEditor(&object.Rules))
	return m
}

// EditRules records an edit of the rules. Nil is ignored.
func (m *Mutator) EditRules(edit func(*editors.PolicyRulesEditor) error) { m.rules.Record(edit) }
