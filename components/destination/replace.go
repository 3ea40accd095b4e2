package destination

import (
	"context"
	"errors"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
)

// deleteReplaced deletes the copy, which the API server has refused to change in place, if it was written from another object than the
// one that is the source now. It reports whether the place is free; if not, it returns the refusal, or why the copy could not be deleted.
//
// Example: somebody deletes an immutable Secret and creates it again with other data, so fast that the operator does not see the
// deletion. If it had, it would have deleted the copy, and created it again.
//
// A service account has to show first that it may create copies: otherwise the copy would be lost.
func (a *attempt) deleteReplaced(ctx context.Context, intent *unstructured.Unstructured, manager string, refusal error) (bool, error) {
	at := a.outcome.Place.NamespacedName
	live, err := a.writer.getMetadata(ctx, a.set, at)
	if err != nil {
		return false, &readError{err}
	}
	from := live.Annotations[v1.AnnotationSourceUID]
	if from == "" || from == string(a.sourceUID) || live.DeletionTimestamp != nil || !mayDelete(a.set.Owner, live) {
		return false, refusal
	}
	if a.set.User.IsAccount() {
		if _, err := a.tryCreate(ctx, intent, manager); err != nil {
			return false, err
		}
	}
	if err := a.checkWithdrawn(); err != nil {
		return false, err
	}
	err = a.writer.delete(ctx, a.set, Copy{NamespacedName: at, State: stateOf(a.set.Owner.Kind, live)})
	if err != nil && !apierr.IsObjectNotFound(err, at.Name) {
		return false, err
	}
	return true, nil
}

const (
	// suffixLength is how many random letters the name of a copy has that is never created.
	suffixLength = 8
	// longestLabel is how long the names of some kinds may be, such as Services.
	longestLabel = 63
)

// tryCreate has the API server try, in a dry run, to create such a copy under another name in the name of the rule's user. A service account
// whose permission is for copies of that name only is asked what it may do instead; then tried is false.
func (a *attempt) tryCreate(ctx context.Context, intent *unstructured.Unstructured, manager string) (tried bool, err error) {
	if err := a.set.checkSuspended(); err != nil {
		return false, err
	}
	other := intent.DeepCopy()
	other.SetResourceVersion(createOnly)
	name := intent.GetName()
	other.SetName(otherName(name))
	body, err := other.MarshalJSON()
	if err != nil {
		return false, fmt.Errorf("encode the copy: %w", err)
	}
	limited, cancel := withTimeout(impersonate.As(ctx, a.set.User))
	defer cancel()
	_, err = a.writer.Writes.Resource(a.set.Resource).Namespace(other.GetNamespace()).Patch(limited, other.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: manager, Force: new(true), DryRun: []string{metav1.DryRunAll}})
	if a.set.User.Lacks(err) && a.mayCreate(ctx) {
		return false, nil
	}
	return true, withName(err, other.GetName(), name)
}

// mayCreate reports whether the service account of the rule is allowed to create the copy at its place.
func (a *attempt) mayCreate(ctx context.Context) bool {
	for _, verb := range []string{"create", "patch"} {
		if allowed, err := a.may(ctx, verb); err != nil || !allowed {
			return false
		}
	}
	return true
}

// may asks whether the service account of the rule is allowed to do that with the copy at its place.
func (a *attempt) may(ctx context.Context, verb string) (bool, error) {
	at := a.outcome.Place.NamespacedName
	limited, cancel := withTimeout(impersonate.As(ctx, a.set.User))
	defer cancel()
	review, err := a.writer.Access.Create(limited, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: a.set.Resource.Group, Version: a.set.Resource.Version, Resource: a.set.Resource.Resource, Namespace: at.Namespace, Name: at.Name,
		},
	}}, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return review.Status.Allowed, nil
}

// otherName returns a name that no object has. It is not longer than the name if that has more letters than the suffix: some kinds allow fewer
// letters than others.
func otherName(name string) string {
	kept := min(len(name), longestLabel-1-suffixLength)
	if len(name) > 1+suffixLength {
		kept = min(kept, len(name)-1-suffixLength)
	}
	return strings.TrimRight(name[:kept], "-.") + "-" + rand.String(suffixLength)
}

// withName returns the answer of the API server about an object as one about the object of the other name: so the message is the same each time.
func withName(err error, of, name string) error {
	said, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return err
	}
	renamed := apierrors.StatusError{ErrStatus: *said.ErrStatus.DeepCopy()}
	renamed.ErrStatus.Message = strings.ReplaceAll(renamed.ErrStatus.Message, of, name)
	if details := renamed.ErrStatus.Details; details != nil {
		details.Name = name
		for i := range details.Causes {
			details.Causes[i].Message = strings.ReplaceAll(details.Causes[i].Message, of, name)
		}
	}
	return &renamed
}
