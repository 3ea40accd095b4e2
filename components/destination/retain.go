package destination

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
)

// Retain makes a copy an ordinary object, as the one object that it was when it was seen as ours: it removes the label and the annotations of
// the operator. A copy that was released since then is left alone. The function is asked before each request; if it returns false, nothing
// is changed, and the outcome is pending.
func (w *Writer) Retain(ctx context.Context, set CopySet, copied Copy, mayRetain func() bool) Outcome {
	send := func(ctx context.Context, set CopySet, copied Copy) (State, error) {
		if !mayRetain() {
			return copied.State, errWithdrawn
		}
		return w.retain(ctx, set, copied)
	}
	return w.end(ctx, set, copied, ending{send: send, result: retained, action: Retained, operation: retaining})
}

// errKeptOwner says that a copy could not be made an ordinary object.
var errKeptOwner = errors.New("the object still has the ownership annotation, though it was removed; a webhook may have restored it")

// retain removes the label and the annotations in one request.
func (w *Writer) retain(ctx context.Context, set CopySet, copied Copy) (State, error) {
	stamp := set.Owner.Stamp()
	marks := map[string]any{
		"labels": map[string]any{stamp.LabelKey: nil},
		"annotations": map[string]any{
			stamp.AnnotationKey: nil, stamp.PlaceKey: nil, v1.AnnotationContentHash: nil,
			v1.AnnotationSource: nil, v1.AnnotationLayers: nil, v1.AnnotationSourceUID: nil, v1.AnnotationPublishedKeys: nil,
		},
	}
	after, err := w.patchMarks(ctx, set, copied, marks)
	if err == nil && set.Owner.Owns(after) {
		err = errKeptOwner
	}
	return copied.State, err
}

// patchMarks merges labels and annotations of the operator into those of a copy, in the name of the operator, like a deletion. If the operator is
// not allowed to, it makes the request in the name of the rule's service account.
func (w *Writer) patchMarks(ctx context.Context, set CopySet, copied Copy, marks map[string]any) (*metav1.PartialObjectMetadata, error) {
	after, err := w.patchMetadata(ctx, w.Metadata, set, copied, marks)
	if apierrors.IsForbidden(err) && set.User.IsAccount() {
		if byAccount, failed := w.patchMetadata(impersonate.As(ctx, set.User), w.Writes, set, copied, marks); !apierrors.IsForbidden(failed) {
			return byAccount, failed
		}
	}
	return after, err
}

// patchMetadata merges into the metadata of a copy. The uid and the resourceVersion are preconditions.
func (w *Writer) patchMetadata(
	ctx context.Context, client metadata.Interface, set CopySet, copied Copy, fields map[string]any,
) (*metav1.PartialObjectMetadata, error) {
	if err := set.checkSuspended(); err != nil {
		return nil, err
	}
	fields["uid"], fields["resourceVersion"] = copied.UID, copied.ResourceVersion
	patch, err := json.Marshal(map[string]any{"metadata": fields})
	if err != nil {
		return nil, fmt.Errorf("encode the patch: %w", err)
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	return client.Resource(set.Resource).Namespace(copied.Namespace).
		Patch(ctx, copied.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: set.Owner.FieldManager()})
}
