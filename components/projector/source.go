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

// resolve finds the kind of the source.
func (p *pass[O]) resolve(ctx context.Context) error {
	kind, err := p.parts.Resolver.Resolve(ctx, p.rule.GetSource())
	switch {
	case source.IsRefused(err):
		p.letGo(err)
		return p.refuse(err)
	case err != nil:
		return unknown(v1.ConditionSourceResolved, v1.ReasonSourceResolutionFailed, err)
	}
	p.kind = kind
	return nil
}

// letGo closes the watches on a kind that is not served any more, once no other rule holds them.
func (p *pass[O]) letGo(refusal error) {
	if source.IsAbsent(refusal) {
		p.parts.Sources.Forget(p.waker)
		p.parts.Inventory.Release(p.waker)
	}
}

// settleInterval is when to look again while the API server is about to serve other kinds.
const settleInterval = 500 * time.Millisecond

// refuse ends the pass of a rule whose kind is refused. The definition of the kind wakes it again, but the API server may
// take a moment to follow its definitions.
func (p *pass[O]) refuse(refusal error) error {
	if p.parts.Resolver.Settling(p.rule.GetSource().Group) {
		return &halt{
			condition: v1.ConditionSourceResolved, verdict: verdict{v1.ReasonSourceResolutionFailed, refusal.Error()},
			again: settleInterval, passing: true,
		}
	}
	return refused(refusal.Error(), p.settings.Requeue)
}

// read reads the source and asks for its consent. The watch comes first, so that no change falls between the two.
func (p *pass[O]) read(ctx context.Context) error {
	at := p.sourceAt()
	if err := p.parts.Sources.Follow(ctx, p.waker, p.kind.GroupVersionResource(), at); err != nil {
		return unknown(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, fmt.Errorf("watch %s: %w", p.kind.Kind, err))
	}
	object, err := p.fetch(ctx)
	switch {
	case errors.Is(err, errWaiting), errors.Is(err, errPanic):
		return err
	case errors.Is(err, source.ErrGone):
		p.resolved = p.gone()
		return nil
	case apierrors.IsNotFound(err): // the kind, not the object
		p.parts.Resolver.DefinitionsChanged(p.kind.Group)
		return unknown(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, err)
	case err != nil:
		return unknown(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, err)
	}
	p.parts.Sources.Saw(p.kind.GroupVersionResource(), object)
	if refusal := p.settings.Mode.Source(object); !refusal.Allowed() {
		p.resolved = verdict{refusal.Reason, refusal.Message}
		return nil
	}
	p.source = object
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

// fetch reads the source in the lane of its namespace, not older than its last event.
func (p *pass[O]) fetch(ctx context.Context) (*unstructured.Unstructured, error) {
	resource, at := p.kind.GroupVersionResource(), p.sourceAt()
	fetched := Fetched{err: errWaiting}
	p.parts.Reads.Take(p.waker) // what came too late for an earlier pass may be old
	reads := p.parts.Reads.Open(p.waker, p.run.release)
	reads.Go(ctx, lane.Target{Resource: resource.GroupResource(), NamespacedName: at}, func() (read Fetched) {
		read.err = p.recovering(p.run.base, func() (err error) {
			read.object, err = p.parts.Reader.Read(p.run.base, p.kind, p.before.GetSource(), p.parts.Sources.Seen(resource, at))
			return err
		})
		return read
	}, func(read Fetched) { fetched = read })
	reads.Wait(ctx)
	return fetched.object, fetched.err
}

// gone words the absence of a source. Whether there ever was a copy matters for the words only: copies go either way.
func (p *pass[O]) gone() verdict {
	ref := p.rule.GetSource()
	sentence := fmt.Sprintf("there is no %s %s/%s", p.kind.Kind, ref.Namespace, ref.Name)
	if p.rule.GetCommonStatus().AppliedFields != "" {
		return verdict{v1.ReasonSourceDeleted, sentence + " any more; its copies are removed"}
	}
	return verdict{v1.ReasonSourceNotFound, sentence + "; the copies appear when it does"}
}
