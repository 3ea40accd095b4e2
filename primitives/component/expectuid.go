package component

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ExpectUID names the uid of the object as it was read before. The apply fails unless the live object has this uid; nothing
// is created. An empty uid has no effect.
//
// Example: a controller reads a Secret, and applies it with a label. Somebody deletes the Secret in between. Without the
// option, the apply would bring the deleted password back.
func ExpectUID(uid types.UID) ResourceOption {
	return func(c *resourceConfig) { c.expectUID = &uid }
}

// replaced reports whether the apply was refused because the object is gone, which is a conflict, or another one, whose uid
// cannot be changed.
func (c resourceConfig) replaced(err error) bool {
	if c.expectUID == nil || *c.expectUID == "" {
		return false
	}
	if apierrors.IsConflict(err) {
		return !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && status.ErrStatus.Details != nil &&
		slices.ContainsFunc(status.ErrStatus.Details.Causes, func(cause metav1.StatusCause) bool {
			return cause.Field == "metadata.uid"
		})
}
