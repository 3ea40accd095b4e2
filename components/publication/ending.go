package publication

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
)

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
