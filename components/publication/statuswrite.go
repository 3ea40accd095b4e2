package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/apierr"
)

// bringStatus writes the status of the copy to the object of the consumer, without a look at that if it is known what it has.
func (p *pass) bringStatus(ctx context.Context) ending {
	if known, hasCopy := p.copies.of(p.origin); hasCopy && known.sent == 0 && p.syncsStatus() {
		return p.bringDown(ctx)
	}
	return p.statusOf(ctx, nil)
}

// statusOf writes the status of the copy to the object of the consumer, unless that has it: as it was read, or as it was written last if it was not read.
func (p *pass) statusOf(ctx context.Context, object *unstructured.Unstructured) ending {
	done := ending{result: &result{accepted: true}}
	known, hasCopy := p.copies.of(p.origin)
	switch {
	case !p.syncsStatus():
		p.copies.sent(known.state, 0)
		return done
	case !hasCopy:
		return ending{keep: object == nil, result: done.result}
	case known.whole == nil:
		return ending{keep: object == nil, result: p.sameStatus()}
	}
	status, err := p.offer.statusFor(known.whole, p.target)
	if err != nil {
		return p.failed(ctx, nil, err.Error(), err)
	}
	if status == nil { // the fields that were written before are removed
		status = map[string]any{}
	}
	hash := hashOf(status)
	if known.sent == hash || hasStatus(object, status) {
		p.copies.sent(known.state, hash)
		return ending{keep: object == nil && known.sent == hash, result: p.sameStatus()}
	}
	if wait := p.c.nextStatus(p.key, p.offer.spec.Status.MinInterval()); wait > 0 {
		return ending{keep: object == nil, result: p.sameStatus(), after: wait, why: up}
	}
	wrong, err := p.writeStatus(ctx, known.originUID, status)
	if err != nil {
		return p.statusFailed(ctx, object, err)
	}
	p.copies.sent(known.state, hash)
	done.result.problem, done.result.statusAt = wrong, p.c.p.engine.options.Clock.Now()
	if wrong != nil && p.c.isNews(p.key, wrong) {
		p.tell(ctx, p.reference(known.originUID), "Warning", wrong.reason, wrong.message)
	}
	return done
}

// hasStatus reports whether the object, if it was read, has all fields of the status, and no others that the operator has written.
func hasStatus(object *unstructured.Unstructured, status map[string]any) bool {
	if object == nil {
		return false
	}
	return (len(status) == 0 || contains(object.Object[statusField], any(status))) && !hasMore(ownStatus(object), any(status))
}

// statusFailed is the ending of a pass that could not write the status.
func (p *pass) statusFailed(ctx context.Context, object *unstructured.Unstructured, err error) ending {
	if apierr.IsObjectNotFound(err, p.key.Name) || apierrors.IsConflict(err) { // it is another object by now: an event tells
		return ending{keep: true, after: settleTime, why: down}
	}
	return p.failed(ctx, object, p.at.sentence(err), err)
}

// syncsStatus reports whether the status comes back.
func (p *pass) syncsStatus() bool {
	return p.api.hasStatus && p.offer.spec.Status.Sync != v1alpha1.StatusSyncNever
}

// sameStatus is the result of a pass that wrote no status: a conflict stands until the status changes.
func (p *pass) sameStatus() *result {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	before := p.c.results[p.key]
	if before != nil && before.problem != nil && before.reason == v1alpha1.ReasonStatusConflict {
		return &result{accepted: true, problem: before.problem}
	}
	return &result{accepted: true}
}

// reference is the object of the consumer as far as events need it.
func (p *pass) reference(uid types.UID) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(p.api.consumer.kind())
	object.SetNamespace(p.key.Namespace)
	object.SetName(p.key.Name)
	object.SetUID(uid)
	return object
}

// nextStatus returns after how long the status of the object may be written again.
func (c *consumer) nextStatus(key types.NamespacedName, interval time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.results[key]
	if before == nil || before.statusAt.IsZero() {
		return 0
	}
	return interval - c.p.engine.options.Clock.Since(before.statusAt)
}

// writeStatus applies the status, and leaves out fields that another client sets. The problem names that client.
func (p *pass) writeStatus(ctx context.Context, uid types.UID, status map[string]any) (*problem, error) {
	force := p.offer.spec.Status.Conflict == v1alpha1.StatusConflictOverwrite
	err := p.sendStatus(ctx, uid, status, force)
	conflicts := conflictsIn(err)
	if len(conflicts) == 0 {
		return nil, err
	}
	left := (&unstructured.Unstructured{Object: map[string]any{statusField: status}}).DeepCopy().Object
	for _, conflict := range conflicts {
		removeField(left, conflict.path)
	}
	rest, _ := left[statusField].(map[string]any)
	if rest == nil {
		rest = map[string]any{}
	}
	if err := p.sendStatus(ctx, uid, rest, false); err != nil {
		return nil, err
	}
	return &problem{v1alpha1.ReasonStatusConflict, fmt.Sprintf("the field %s of its status is set by %s, and left to that; "+
		"let that client leave it alone, or set status.conflict to Overwrite", conflicts[0].field, conflicts[0].manager), true}, nil
}

func (p *pass) sendStatus(ctx context.Context, uid types.UID, status map[string]any, force bool) error {
	intent := p.reference(uid)
	if len(status) > 0 { // an empty one would become null, which definitions refuse
		intent.Object[statusField] = status
	}
	_, err := p.objects().ApplyStatus(p.asConsumer(ctx), p.key.Name, intent, metav1.ApplyOptions{FieldManager: fieldManager, Force: force})
	return err
}

// conflict is a field that another client sets.
type conflict struct {
	manager, field string
	path           []string
}

// conflictsIn returns the fields because of which an apply was refused.
func conflictsIn(err error) (conflicts []conflict) {
	status, ok := err.(apierrors.APIStatus)
	if !ok || !apierrors.IsConflict(err) || status.Status().Details == nil {
		return nil
	}
	for _, cause := range status.Status().Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		manager := cause.Message
		if parts := strings.Split(cause.Message, `"`); len(parts) > 2 { //nolint:mnd // conflict with "manager" ...
			manager = parts[1]
		}
		conflicts = append(conflicts, conflict{manager, strings.TrimPrefix(cause.Field, "."), stepsOf(cause.Field)})
	}
	slices.SortFunc(conflicts, func(a, b conflict) int { return strings.Compare(a.field, b.field) })
	return conflicts
}

// stepsOf returns the names on the path of a field, up to the first list. A list is left to the other client as a whole.
func stepsOf(field string) []string {
	before, _, _ := strings.Cut(field, "[")
	return strings.Split(strings.TrimPrefix(before, "."), ".")
}

func removeField(content map[string]any, path []string) {
	if len(path) > 1 { // never the status itself
		unstructured.RemoveNestedField(content, path...)
	}
}
