package projector

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// unwantedCopy is a copy that is not planned, and what becomes of it.
type unwantedCopy struct {
	destination.Copy
	disposal plan.Disposal
}

// disposer decides what becomes of a copy.
type disposer func(copySet, destination.Copy) plan.Disposal

// disposalOf returns a function that decides what becomes of the copies that are not planned.
func (s *scope[O]) disposalOf(ctx context.Context) disposer {
	if !s.spec.Selects() {
		return s.named().disposalOf(ctx)
	}
	disposers := map[*sourceScope[O]]disposer{}
	return func(set copySet, copied destination.Copy) plan.Disposal {
		source := s.sourceOf(copied)
		if source == nil || len(s.spec.Policy.Retain) == 0 {
			return plan.DeleteIt
		}
		if disposers[source] == nil {
			if !s.isDeleting() && !source.isSelected() {
				source.explainUnselected(ctx)
			}
			disposers[source] = source.disposalOf(ctx)
		}
		if source.failed != nil {
			return plan.LeaveIt
		}
		return disposers[source](set, copied)
	}
}

// explainUnselected finds out of several sources, a few at a time, why they are not selected.
func (s *scope[O]) explainUnselected(ctx context.Context, unselected []*sourceScope[O]) {
	var reads errgroup.Group
	reads.SetLimit(s.config.ReadConcurrency)
	for _, source := range unselected {
		reads.Go(func() error {
			err := s.catchPanic(ctx, func() error {
				source.explainUnselected(ctx)
				return nil
			})
			source.failed = cmp.Or(err, source.failed)
			return nil
		})
	}
	_ = reads.Wait() // none returns an error
}

// explainUnselected finds out why a source is not selected of which the rule has copies: it does not exist, its labels do not match any more, or its
// owner does not consent.
//
// Example: an object loses its label and is opted out while no operator runs. Its copies are not retained.
func (s *sourceScope[O]) explainUnselected(ctx context.Context) {
	if s.failed != nil || !s.problem.IsZero() {
		return
	}
	object, problem, err := s.planner.ReadSource(ctx, s.rule, s.spec, s.kind, s.fetchNewest)
	switch {
	case err != nil:
		s.failed = err
	case problem.IsZero():
		s.metadata = object
		s.permission, _ = policy.PermissionOf(object.GetAnnotations()) // CheckConsent reports the error
		s.problem = s.planner.CheckConsent(s.spec, object)
		if s.problem.IsZero() {
			s.problem = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: s.kind.NameOf(s.spec.Source) + " is not selected any more"}
		}
	default:
		s.problem = problem
	}
}

func (s *sourceScope[O]) disposalOf(ctx context.Context) disposer {
	isGone, last, isDenied := s.isSourceGone(), s.lastEvent(), s.hasNoConsent()
	dropped, isTarget := s.droppedTargets(ctx)
	return func(set copySet, copied destination.Copy) plan.Disposal {
		unwanted := plan.Unwanted{
			Causes: plan.Causes{RuleDeleted: s.isDeleting(), TargetDropped: dropped(copied.Namespace), SourceGone: isGone}, HidesLayers: copied.HidesLayers,
			IsOfRule: func() bool {
				return copied.IsOf(s.spec.Source) && !s.namesOthers(&copied.State)
			},
			Consents: func() bool { return !isGone || s.lastConsentCovers(ctx, set, copied, last) },
		}
		switch {
		case isDenied:
			return plan.DeleteIt
		case unwanted.Causes == (plan.Causes{}) && s.hasCurrentPlace(set, copied) && isTarget(copied.Namespace):
			return plan.LeaveIt
		default:
			return unwanted.Disposal(s.spec.Policy)
		}
	}
}

// hasNoConsent reports whether no copy of the source may stay, even where the rule retains it: its owner or that of a layer does not consent, or the
// source does not exist, and its owner is not known to have consented.
func (s *sourceScope[O]) hasNoConsent() bool {
	why := s.whyNone()
	return !why.IsZero() && why != s.problem || s.isDenied() || s.isSourceGone() && !s.consentIsRecorded()
}

// hasCurrentPlace reports whether the copy has the kind and the name that a copy of the source would have.
func (s *sourceScope[O]) hasCurrentPlace(set copySet, copied destination.Copy) bool {
	return set.kind == s.copyKind && s.mayHaveName(copied.NamespacedName)
}

// lastConsentCovers reports whether the owner of a source that is not copied any more, and those of the layers, consented to the copy as far as is known.
func (s *sourceScope[O]) lastConsentCovers(ctx context.Context, set copySet, copied destination.Copy, last watch.LastEvent) bool {
	switch {
	case s.metadata != nil && !s.consentsTo(ctx, set, copied, s.metadata.GetAnnotations()): // it is not selected any more
		return false
	case last.Known && !s.consentsTo(ctx, set, copied, last.Annotations):
		return false
	default:
		return s.layersConsent(ctx, set, copied)
	}
}

// layersConsent reports whether the owners of the layers that the copy names are known to consent to it, or consented when they were read last.
func (s *scope[O]) layersConsent(ctx context.Context, set copySet, copied destination.Copy) bool {
	named := s.namedBy(&copied.State)
	s.ask(ctx, named.formers)
	return !s.namesDenied(&copied.State) && !slices.ContainsFunc(slices.Concat(named.layers, named.formers), func(layer *sourceScope[O]) bool {
		return !layer.lastConsentsTo(ctx, set, copied)
	})
}

// lastConsentsTo reports whether the owner of a layer consents to the copy, or consented to it when the layer was read last.
func (s *sourceScope[O]) lastConsentsTo(ctx context.Context, set copySet, copied destination.Copy) bool {
	last := s.lastEvent()
	switch {
	case s.source != nil && !s.consentsTo(ctx, set, copied, s.source.GetAnnotations()):
		return false
	case s.declared != nil && !s.consentsTo(ctx, set, copied, s.declared):
		return false
	case s.source == nil && s.declared == nil && !s.consentIsRecorded():
		return false
	}
	return !last.Known || s.consentsTo(ctx, set, copied, last.Annotations)
}

// droppedTargets returns functions that report whether a namespace is not a target any more, and whether it is one again. Rules that retain none
// need not know.
func (s *sourceScope[O]) droppedTargets(ctx context.Context) (dropped, isTarget func(namespace string) bool) {
	if s.adapter.Dropped == nil || len(s.spec.Policy.Retain) == 0 {
		never := func(string) bool { return false }
		return never, never
	}
	stillTarget := s.adapter.StillTarget(ctx, s.rule)
	isTarget = func(namespace string) bool {
		return stillTarget(namespace) && !slices.ContainsFunc(s.all(), func(source *sourceScope[O]) bool { return source.isRefused(ctx, namespace) })
	}
	return s.dropped(ctx, s.rule), isTarget
}

// dropped returns a function that reports whether a namespace exists and is no target of the rule.
func (s *sourceScope[O]) dropped(ctx context.Context, rule O) func(namespace string) bool {
	dropped := s.adapter.Dropped(ctx, rule)
	return func(namespace string) bool { return s.isItself(ctx, namespace) || dropped(namespace) }
}

// isSourceGone reports whether no copy is wanted because the source does not exist.
func (s *sourceScope[O]) isSourceGone() bool {
	return s.problem.Reason == v1.ReasonSourceDeleted || s.problem.Reason == v1.ReasonSourceNotFound
}

// confirmRetained asks the owner of the source before copies are made ordinary objects, which nobody deletes any more. Without consent they are
// deleted.
//
// Example: the owner of a source opts out, and a namespace loses its label. The operator reads the source from a cache of the API server that
// does not know the opt-out yet.
//
// For a suspended rule nobody is asked: the reconcile that resumes it asks.
func (m *memberScope[O]) confirmRetained(ctx context.Context, set copySet, copies []unwantedCopy) error {
	if len(copies) == 0 || m.scope.isSuspended() {
		return nil
	}
	for i := range copies {
		consents, err := m.scope.newestConsentTo(ctx, copies[i].Copy)
		if err != nil {
			return err
		}
		if !consents(set, copies[i].Copy) {
			copies[i].disposal = plan.DeleteIt
		}
	}
	return nil
}

// keep has the copies stay which the rule retains while the source does not exist, with whatever content. It returns the others. A copy that
// lacks its label gets it back.
func (m *memberScope[O]) keep(set *copySet, copies []unwantedCopy) []unwantedCopy {
	var others []unwantedCopy
	var unlabelled []destination.Copy
	for _, c := range copies {
		switch {
		case c.disposal != plan.KeepIt:
			others = append(others, c)
		case !c.Terminating:
			m.keptCopies, set.keepOld = true, true
			if !c.Labelled || !set.Cache.SetDesired(c.NamespacedName, m.scope.id.Key(), destination.AnyContent(m.scope.id.UID)) {
				unlabelled = append(unlabelled, c.Copy)
			}
		}
	}
	m.relabel(*set, unlabelled)
	return others
}

// relabel gives copies their label back.
func (m *memberScope[O]) relabel(set copySet, unlabelled []destination.Copy) {
	m.requests(len(unlabelled), func(i int) (job, func(context.Context) destination.Outcome) {
		copied := unlabelled[i]
		return job{set: set, at: copied.NamespacedName, ends: destination.Updated}, func(ctx context.Context) destination.Outcome {
			return m.member.Writer.Relabel(ctx, set.CopySet, copied)
		}
	})
}

// mustNameSource reports whether the copy at a place has to be written since it does not name its source, as copies of earlier versions do not:
// the rule retains only copies that do.
func (m *memberScope[O]) mustNameSource(set copySet, target plan.Target, at types.NamespacedName) bool {
	if len(m.scope.spec.Policy.Retain) == 0 {
		return false
	}
	known := set.Cache.Known(at)
	return known.Owner == m.scope.id.Key() && !known.IsOf(m.scope.sources[target.Source].spec.Source)
}
