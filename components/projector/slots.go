package projector

import "projection.sh/operator/components/watch"

// slots are the lanes of writes with a slot that is reserved for a rule.
type slots struct {
	member *Member
	rule   watch.RuleKey
	writes []string
}

// reservedSlots returns the slots that are reserved for the rule now. A slot that is reserved later is for the next reconcile.
func (m *Member) reservedSlots(rule watch.RuleKey) slots {
	return slots{member: m, rule: rule, writes: m.Writes.Reserved(rule)}
}

// release gives back the slots that were not used.
func (s slots) release() {
	s.member.Writes.Finish(s.rule, s.writes)
}
