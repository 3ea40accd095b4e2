package destination

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
	"projection.sh/operator/mutations"
)

// sighting is what was seen at the place of a copy. That of a free place has no uid.
type sighting struct {
	*metav1.PartialObjectMetadata
	// whole is the object with its content; nil: only its metadata was read.
	whole *unstructured.Unstructured
	// unread is why the service account of the rule could not read the content.
	unread error
}

// look reads what is at the place of the copy. It reads the content if the decision on an adoption depends on it, in the name of the rule's
// user; otherwise, and if the user is not allowed to, the metadata in the name of the operator.
func (a *attempt) look(ctx context.Context) (sighting, error) {
	var unread error
	ofSecrets := a.set.Resource == schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	if onConflict := a.set.OnConflict; onConflict == v1.ConflictAdoptIdentical || onConflict == v1.ConflictAdopt && ofSecrets {
		whole, err := a.writer.getWhole(ctx, a.set, a.outcome.Place)
		if err == nil {
			metadata := &metav1.PartialObjectMetadata{}
			err = runtime.DefaultUnstructuredConverter.FromUnstructured(whole.Object, metadata)
			return sighting{PartialObjectMetadata: metadata, whole: whole}, err
		}
		if !a.set.User.Lacks(err) {
			return sighting{}, a.set.redact(err)
		}
		unread = err
	}
	live, err := a.writer.getMetadata(ctx, a.set, a.outcome.Place.NamespacedName)
	return sighting{PartialObjectMetadata: live, unread: unread}, err
}

// getWhole reads an object as it is now, in the name of the rule's user. An object that does not exist is empty.
func (w *Writer) getWhole(ctx context.Context, set CopySet, place Place) (*unstructured.Unstructured, error) {
	ctx, cancel := withTimeout(impersonate.As(ctx, set.User))
	defer cancel()
	object, err := w.Objects.Resource(set.Resource).Namespace(place.Namespace).Get(ctx, place.Name, metav1.GetOptions{})
	if apierr.IsObjectNotFound(err, place.Name) {
		return &unstructured.Unstructured{Object: map[string]any{}}, nil
	}
	return object, err
}

// decide decides what becomes of a conflict with the object that was seen, as the rule says. It returns nil if the object is to be adopted.
func (a *attempt) decide(ctx context.Context, seen sighting, conflict *conflictError, intent *unstructured.Unstructured) error {
	conflict.onConflict = a.set.OnConflict
	switch {
	case conflict.waits:
		return conflict
	case a.set.OnConflict == v1.ConflictSkip:
		return &conflictError{rule: conflict.rule, onConflict: conflict.onConflict, skipped: true, blocked: conflict.blocked}
	case !a.set.OnConflict.Adopts() || !conflict.foreign:
		return conflict
	}
	conflict.scope = watch.Claims
	if obstacle := policy.ObstacleTo(seen); obstacle != (policy.Obstacle{}) {
		is := cmp.Or(describeRule(seen.PartialObjectMetadata), describeController(seen.PartialObjectMetadata), obstacle.Is)
		return conflict.because(is, obstacle.Advice)
	}
	a.watched = true
	if seen.unread != nil {
		return &readError{a.set.redact(seen.unread)}
	}
	if seen.whole != nil && mutations.IsCredential(seen.whole) {
		return conflict.because("is a credential of its namespace", "delete it, or set another destination.name")
	}
	if a.set.OnConflict == v1.ConflictAdoptIdentical {
		if differences := differencesOf(intent, seen.whole, a.set.Owner.Stamp()); len(differences) > 0 {
			conflict.scope, conflict.content, conflict.differs = watch.Content, a.rendered, true
			return conflict.because("says something else: "+strings.Join(differences, ", "),
				"make it equal or delete it, set another destination.name, or set policy.onConflict to Adopt to overwrite it")
		}
	}
	a.adopts = seen.PartialObjectMetadata
	return a.checkDelete(ctx)
}

// checkDelete refuses an adoption by a service account that may not delete the object: the operator deletes copies in its own name, so whoever
// may name the account could delete the object by deleting the rule.
func (a *attempt) checkDelete(ctx context.Context) error {
	if !a.set.User.IsAccount() {
		return nil
	}
	allowed, err := a.may(ctx, "delete")
	if err != nil || allowed {
		return err
	}
	place := a.outcome.Place
	return apierrors.NewForbidden(place.Resource.GroupResource(), place.Name, fmt.Errorf("%s cannot delete resource %q in API group %q in the namespace %q",
		a.set.User.Quoted(), place.Resource.Resource, place.Resource.Group, place.Namespace))
}

// because returns the conflict in other words: what the object that is there is, and what to do.
func (o *conflictError) because(is, advice string) *conflictError {
	o.blocked.Reason = "an object is there that " + is + "; it is left alone; " + advice
	return o
}

// adopt makes the object that is in the way a copy, as the one object that was looked at. It applies the copy under a field manager of its own,
// which shows that the adoption has not ended, and ends the adoption.
func (a *attempt) adopt(ctx context.Context, intent *unstructured.Unstructured, manager string) (State, error) {
	known := State{UID: a.adopts.UID, ResourceVersion: a.adopts.ResourceVersion}
	intent.SetUID(a.adopts.UID)
	answer, err := a.send(ctx, intent, known, a.set.Owner.Adopting())
	intent.SetUID("")
	if err != nil {
		return State{}, a.refused(err)
	}
	a.adopted, a.watched = true, false
	a.writer.Blockers.Unwatch(a.set.ruleKey(), a.set.Resource, a.outcome.Place.NamespacedName)
	answer, applied, err := a.endAdoption(ctx, answer, manager)
	if err != nil {
		return State{}, err
	}
	if applied {
		return stateOf(a.set.Owner.Kind, answer), nil
	}
	if known, err = a.giveUp(ctx, stateOf(a.set.Owner.Kind, answer), manager); err != nil {
		return State{}, err
	}
	if answer, err = a.send(ctx, intent, known, manager); err != nil {
		return State{}, err
	}
	return stateOf(a.set.Owner.Kind, answer), nil
}

// adoptionError is why an object could not be adopted.
type adoptionError struct{ error }

// Scope says which changes of the object make another try worthwhile.
func (adoptionError) Scope() watch.Scope { return watch.Content }

// refused notes why the API server refuses an adoption: changes of the object enqueue the rule. An object that differs in what cannot be changed is
// a conflict, which stands until the object or the wanted content changes.
func (a *attempt) refused(err error) error {
	if apierrors.IsConflict(err) || errors.Is(err, errWithdrawn) {
		return err
	}
	var finding error = adoptionError{err}
	if apierr.IsImmutable(err) {
		place := a.outcome.Place
		conflict := blockedBy(a.set.Owner, Unchanged, v1.ReasonDestinationConflict, "").because("differs in a field that cannot be changed",
			"to have a copy there, run kubectl -n "+place.Namespace+" delete "+a.set.Resource.GroupResource().String()+" "+place.Name+
				" ("+apierr.Message(a.set.redact(err))+")")
		conflict.onConflict, conflict.content, conflict.scope = a.set.OnConflict, a.rendered, watch.Content
		finding, err = conflict, conflict
	}
	a.writer.Blockers.SetFinding(a.set.ruleKey(), a.set.Resource, a.adopts, finding)
	return err
}
