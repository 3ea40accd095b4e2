package projector

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

// checkRule refuses a rule that cannot be carried out whatever its source.
func (s *scope[O]) checkRule(context.Context) error {
	if s.selected.tooMany {
		return s.tooMany()
	}
	if !s.isCopied() { // there is nothing to carry out
		return nil
	}
	if err := s.planner.CheckRule(s.rule); err != nil {
		return err
	}
	s.hub.Names.Set(s.key, destination.NamesOf(s.key.Namespace, s.spec))
	return nil
}

// plan finds out which copies there are to be.
func (s *scope[O]) plan(ctx context.Context) (err error) {
	if !s.isCopied() {
		return nil
	}
	if s.spec.Selects() {
		s.local.wanted, err = s.placeSelected(ctx)
	} else {
		source := s.named()
		with := source.rendering()
		with.Layers = s.merged()
		s.local.wanted, err = s.planner.Render(ctx, s.rule, s.withMembers(source.spec), s.kind, source.source, s.permission(), with)
		source.itself = s.local.wanted.Itself
	}
	if err == nil && len(s.local.wanted.Targets) == 0 && s.adapter.Unmatched != nil && (s.branch != nil || !s.hasClusters()) {
		s.local.unmatched = s.describeUnmatched(ctx)
	}
	return err
}

// onlyItself says why a rule has no targets that selects the namespace of its source, and no other.
const onlyItself = "the only selected namespace is that of the source, and destination.nameExpression results in the name of the source there"

// describeUnmatched says why the rule has no targets. What was reported of the same spec is repeated: otherwise each reconcile after a
// namespace was created or deleted would write the status.
func (s *scope[O]) describeUnmatched(ctx context.Context) string {
	before := meta.FindStatusCondition(s.before.GetCommonStatus().Conditions, v1.ConditionDestinationWritten)
	switch {
	case s.local.wanted.Skipped > 0:
		return noneSelectedIsPermitted
	case s.local.wanted.Itself != "":
		return onlyItself
	case before != nil && before.Reason == v1.ReasonNoMatchingNamespaces && before.ObservedGeneration == s.rule.GetGeneration() &&
		!strings.HasPrefix(before.Message, noneSelectedIsPermitted) && !strings.HasPrefix(before.Message, onlyItself):
		return before.Message
	}
	return s.adapter.Unmatched(ctx, s.rule)
}
