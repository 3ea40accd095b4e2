package destination

import (
	"context"
	"fmt"

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
	if err := a.tryCreate(ctx, intent, manager); err != nil {
		return false, err
	}
	err = a.writer.delete(ctx, a.set, Copy{NamespacedName: at, State: stateOf(a.set.Owner.Kind, live)})
	if err != nil && !apierr.IsObjectNotFound(err, at.Name) {
		return false, err
	}
	return true, nil
}

// suffixLength is how many random letters the name of a copy has that is never created.
const suffixLength = 8

// tryCreate has the API server try, in a dry run, to create such a copy under another name in the name of the rule's service account.
func (a *attempt) tryCreate(ctx context.Context, intent *unstructured.Unstructured, manager string) error {
	if !a.set.User.IsAccount() {
		return nil
	}
	tried := intent.DeepCopy()
	tried.SetResourceVersion(createOnly)
	tried.SetName(fmt.Sprintf("%.200s-%s", intent.GetName(), rand.String(suffixLength)))
	body, err := tried.MarshalJSON()
	if err != nil {
		return fmt.Errorf("encode the copy: %w", err)
	}
	ctx, cancel := withTimeout(impersonate.As(ctx, a.set.User))
	defer cancel()
	_, err = a.writer.Writes.Resource(a.set.Resource).Namespace(tried.GetNamespace()).Patch(ctx, tried.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: manager, Force: new(true), DryRun: []string{metav1.DryRunAll}})
	return err
}
