package projector

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/source"
)

// resolveKind finds the kind of the source.
func (s *scope[O]) resolveKind(ctx context.Context) error {
	kind, err := s.deps.Resolver.Resolve(ctx, s.rule.GetSource())
	switch {
	case source.IsKindError(err):
		s.releaseWatches(err)
		return s.unusableKind(err)
	case err != nil:
		return retryable(v1.ConditionSourceResolved, v1.ReasonSourceResolutionFailed, err)
	}
	s.kind = kind
	return nil
}

// releaseWatches closes the watches on a kind that is not served any more, once no other rule holds them.
func (s *scope[O]) releaseWatches(refusal error) {
	if source.IsNotServed(refusal) {
		s.deps.Sources.Forget(s.key)
		s.deps.Inventory.Release(s.key)
	}
}

// propagationInterval is when to look again while the API server is about to serve other kinds.
const propagationInterval = 500 * time.Millisecond

// unusableKind ends the pass of a rule whose kind is refused. The definition of the kind wakes it again, but the API server may
// take a moment to follow its definitions.
func (s *scope[O]) unusableKind(refusal error) error {
	if s.deps.Resolver.IsPropagating(s.rule.GetSource().Group) {
		return &stepError{
			condition: v1.ConditionSourceResolved, problem: problem{v1.ReasonSourceResolutionFailed, refusal.Error()},
			requeueAfter: propagationInterval, transient: true,
		}
	}
	return terminal(refusal.Error(), s.config.Requeue)
}

// readSource reads the source and asks for its consent. The watch comes first, so that no change falls between the two.
func (s *scope[O]) readSource(ctx context.Context) error {
	at := s.sourceKey()
	if err := s.deps.Sources.Watch(ctx, s.key, s.kind.GroupVersionResource(), at); err != nil {
		return retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, fmt.Errorf("watch %s: %w", s.kind.Kind, err))
	}
	object, err := s.fetchSource(ctx)
	switch {
	case errors.Is(err, errWaiting), errors.Is(err, errPanic):
		return err
	case errors.Is(err, source.ErrNotFound):
		s.problem = s.sourceMissing()
		return nil
	case apierrors.IsNotFound(err): // the kind, not the object
		s.deps.Resolver.DefinitionsChanged(s.kind.Group)
		return retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, err)
	case err != nil:
		return retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, err)
	}
	s.deps.Sources.ObserveRead(s.kind.GroupVersionResource(), object)
	if refusal := s.config.Mode.CheckSource(object); !refusal.IsZero() {
		s.problem = problem{refusal.Reason, refusal.Message}
		return nil
	}
	s.source = object
	return nil
}

// errWaiting says that the source was not read yet, because reads in its namespace are slow. The rule is enqueued when a slot
// is free or the read has ended.
var errWaiting = errors.New("the source waits to be read")

// Fetched is a source, or why it could not be read.
type Fetched struct {
	object *unstructured.Unstructured
	err    error
}

// fetchSource reads the source in the lane of its namespace, not older than its last event.
func (s *scope[O]) fetchSource(ctx context.Context) (*unstructured.Unstructured, error) {
	resource, at := s.kind.GroupVersionResource(), s.sourceKey()
	fetched := Fetched{err: errWaiting}
	s.deps.Reads.Take(s.key) // what came too late for an earlier pass may be old
	reads := s.deps.Reads.Open(s.key, s.run.release)
	reads.Go(ctx, lane.Target{Resource: resource.GroupResource(), NamespacedName: at}, func() (read Fetched) {
		read.err = s.catchPanic(s.run.base, func() (err error) {
			read.object, err = s.deps.Reader.Read(s.run.base, s.kind, s.before.GetSource(), s.deps.Sources.LastVersion(resource, at))
			return err
		})
		return read
	}, func(read Fetched) { fetched = read })
	reads.Wait(ctx)
	return fetched.object, fetched.err
}

// sourceMissing words the absence of a source. Whether there ever was a copy matters for the words only: copies go either way.
func (s *scope[O]) sourceMissing() problem {
	ref := s.rule.GetSource()
	sentence := fmt.Sprintf("there is no %s %s/%s", s.kind.Kind, ref.Namespace, ref.Name)
	if s.rule.GetCommonStatus().AppliedFields != "" {
		return problem{v1.ReasonSourceDeleted, sentence + " any more; its copies are removed"}
	}
	return problem{v1.ReasonSourceNotFound, sentence + "; the copies appear when it does"}
}
