package projector

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// take takes a source as it was read. Its content is held only if a copy has to be written.
func (s *sourceScope[O]) take(ctx context.Context, object *unstructured.Unstructured) {
	s.takeMetadata(object)
	if !s.problem.IsZero() {
		return
	}
	s.permission, _ = policy.PermissionOf(object.GetAnnotations()) // CheckConsent has reported the error
	renderer, err := s.planner.RenderSource(s.rule, s.spec, s.kind, object, s.rendering())
	if err != nil {
		s.failed = err
		return
	}
	s.clean = s.cleanFieldsOf(object)
	s.source = s.metadata
	held := renderer
	switch size := source.SizeOf(object); {
	case !s.isOutOfStep(ctx, renderer):
		held = renderer.WithoutContent()
	case s.spec.Source.Name < s.selected.from:
		held = renderer.WithoutContent()
	case size > s.selected.left:
		held = renderer.WithoutContent()
		if s.selected.next == "" {
			s.selected.next = s.spec.Source.Name
		}
	default:
		s.selected.left -= size
	}
	s.renderer = held
}

// takeMetadata takes what decides whether the owner of the source consents.
func (s *sourceScope[O]) takeMetadata(object *unstructured.Unstructured) {
	s.problem = s.planner.CheckConsent(s.spec, object)
	s.metadata = withoutContent(object)
	s.called = s.namingOf(object)
}

// readEach reads sources, several at a time.
func (s *scope[O]) readEach(ctx context.Context, sources []*sourceScope[O]) {
	answers := make([]answer, len(sources))
	var reads errgroup.Group
	reads.SetLimit(s.config.ReadConcurrency)
	for i, source := range sources {
		reads.Go(func() error {
			a := &answers[i]
			a.listed = source.metadata
			a.err = s.catchPanic(ctx, func() (err error) {
				a.object, a.problem, err = source.planner.ReadSource(ctx, source.rule, source.spec, source.kind, source.fetch)
				return err
			})
			return nil
		})
	}
	_ = reads.Wait() // none returns an error
	for i, source := range sources {
		source.takeAnswer(ctx, answers[i])
	}
}

// answer is what the read of a source whose metadata are known has resulted in.
type answer struct {
	listed, object *unstructured.Unstructured
	problem        policy.Problem
	err            error
}

// takeAnswer takes a source that was read by itself. What is wrong with it says nothing of the others.
func (s *sourceScope[O]) takeAnswer(ctx context.Context, read answer) {
	listed, object, problem, err := read.listed, read.object, read.problem, read.err
	switch {
	case errors.Is(err, plan.ErrNotRead):
		s.failed, s.metadata = plan.Unreadable(s.kind, s.spec.Source, err), listed
	case err != nil:
		s.failed = err
		if s.metadata == nil {
			s.metadata = listed
		}
	case object != nil && object.GetDeletionTimestamp() == nil && !s.id.Marks(object) && s.selected.selector.Matches(labels.Set(object.GetLabels())):
		s.take(ctx, object)
	case object != nil || s.isMissing(problem):
		s.isGone = true
	default: // an opt-out
		s.problem, s.metadata = problem, listed
	}
}

// isMissing reports whether the problem of a source is that it does not exist.
func (s *sourceScope[O]) isMissing(problem policy.Problem) bool {
	return problem.Reason == v1.ReasonSourceDeleted || problem.Reason == v1.ReasonSourceNotFound
}

// isOutOfStep reports whether a copy of the source may have to be written.
func (s *sourceScope[O]) isOutOfStep(ctx context.Context, renderer *destination.Renderer) bool {
	if s.selected.targetsErr != nil || len(s.local.sets) == 0 {
		return true
	}
	copies, err := s.planner.Place(ctx, s.selected.targets, renderer, s.permission)
	if err != nil || s.nameCopies(&copies) != nil {
		return true
	}
	cache, rule, retains := s.local.sets[0].Cache, s.id.Key(), len(s.spec.Policy.Retain) > 0
	return slices.ContainsFunc(copies.Targets, func(target plan.Target) bool {
		if target.Blocked != "" || target.NotPermitted != "" || target.Unnamed != nil {
			return false
		}
		desired, err := s.local.desired(target)
		known := cache.Known(desired.At)
		if retains && known.Owner == rule && !known.IsOf(s.spec.Source) { // it has to name its source
			return true
		}
		return err != nil || !cache.WouldBeInSync(desired.At, rule, desired.Content, s.selected.known...)
	})
}

// withoutContent returns what is held of a source: which object it is, in which version, and what the operator's own annotations and labels say.
func withoutContent(object *unstructured.Unstructured) *unstructured.Unstructured {
	own := func(all map[string]string) map[string]string {
		kept := map[string]string{}
		for key, value := range all {
			if strings.HasPrefix(key, v1.Domain+"/") {
				kept[key] = value
			}
		}
		return kept
	}
	kept := &unstructured.Unstructured{}
	kept.SetGroupVersionKind(object.GroupVersionKind())
	kept.SetNamespace(object.GetNamespace())
	kept.SetName(object.GetName())
	kept.SetUID(object.GetUID())
	kept.SetResourceVersion(object.GetResourceVersion())
	kept.SetAnnotations(own(object.GetAnnotations()))
	kept.SetLabels(own(object.GetLabels()))
	return kept
}
