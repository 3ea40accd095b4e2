package publication

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
)

// ending is what became of a pass.
type ending struct {
	result *result // nil: nothing is left of the object
	keep   bool    // the result of the pass before stands
	retry  bool    // it is to be tried again, after longer and longer
	after  time.Duration
	why    reasons // if it is to be looked at after a while
}

func (c *consumer) note(key types.NamespacedName, end ending) {
	if end.keep {
		return
	}
	c.mu.Lock()
	before := c.results[key]
	if end.result == nil {
		delete(c.results, key)
		if _, exists := c.seen[key]; !exists {
			delete(c.pairs, key)
		}
	} else {
		if before != nil && end.result.statusAt.IsZero() {
			end.result.statusAt = before.statusAt
		}
		c.results[key] = end.result
	}
	c.mu.Unlock()
	c.p.engine.enqueue(c.p.name, statusDelay)
}

// statusDelay is how long changes are collected before the status of a PublishedResource is written.
const statusDelay = 200 * time.Millisecond

// failed is the ending of a pass that could not go on.
func (p *pass) failed(ctx context.Context, object *unstructured.Unstructured, sentence string, err error) ending {
	wrong := &problem{reason: v1alpha1.ReasonWriteFailed, message: sentence}
	known, isKnown := errors.AsType[*problem](err)
	switch {
	case isKnown:
		wrong = known
	case isRenderError(err):
		wrong.reason, wrong.stalled = v1alpha1.ReasonObjectInvalid, true
	case p.at.unreachable() != nil || p.service.unreachable() != nil || errors.Is(err, errNotConnected):
		wrong.reason = v1alpha1.ReasonUnreachable
	case apierr.IsTerminal(err):
		wrong.stalled = true
	}
	if apierrors.IsConflict(err) {
		return ending{keep: true, retry: true}
	}
	if object == nil || wrong.reason == v1alpha1.ReasonUnreachable {
		return ending{result: &result{problem: wrong, accepted: true}, retry: true}
	}
	return p.told(ctx, object, wrong, ending{retry: !isKnown && !isRenderError(err)})
}

// told is an ending with a problem that the consumer learns of by an event, once.
func (p *pass) told(ctx context.Context, object *unstructured.Unstructured, wrong *problem, end ending) ending {
	if p.c.isNews(p.key, wrong) {
		p.tell(ctx, object, "Warning", wrong.reason, wrong.message)
	}
	end.result = &result{problem: wrong, accepted: true}
	return end
}

// isNews reports whether the last pass had not the same problem.
func (c *consumer) isNews(key types.NamespacedName, wrong *problem) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.results[key]
	return before == nil || before.problem == nil || *before.problem != *wrong
}

// finished notes the object as the pass leaves it.
func (c *consumer) finished(object *unstructured.Unstructured) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done[placeOf(object)] = fingerprint(object)
}
