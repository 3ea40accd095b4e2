package component

import (
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ExpectUID names the uid of the object as it was read before. The apply fails unless the live object has this uid; nothing
// is created. An empty uid has no effect.
//
// Example: a controller reads a Secret, and applies it with a label. Somebody deletes the Secret in between. Without the
// option, the apply would bring the deleted password back.
func ExpectUID(uid types.UID) ResourceOption {
	return func(c *resourceConfig) { c.expectUID = &uid }
}

// ExpectAbsent says that there was no object of that name when it was looked for. The apply creates the object, or it fails
// and nothing is changed: the API server decides that when it writes. The option is for the reconciles that did not find the
// object; those that found it pass ExpectUID.
//
// Example: a controller looks whether there is a Secret of the name that it wants to use, and finds none. A user creates one
// before the apply. Without the option, the apply would overwrite the user's password.
func ExpectAbsent() ResourceOption {
	return func(c *resourceConfig) { c.expectAbsent = true }
}

// absentVersion is the resourceVersion of no object: etcd writes its first one at revision 2. An apply that names a version
// is refused with a conflict if the object has another one, and creates an object that does not exist.
const absentVersion = "1"

// expect adds to the object what the apply depends on.
func (c resourceConfig) expect(desired client.Object) {
	if c.expectUID != nil {
		desired.SetUID(*c.expectUID)
	}
	if c.expectAbsent {
		desired.SetResourceVersion(absentVersion)
	}
}

// unexpected returns an error for an apply that was refused because of what it depends on; otherwise nil.
func (c resourceConfig) unexpected(identity string, err error) error {
	switch {
	case c.replaced(err):
		return fmt.Errorf("resource %s is no longer the object that was read: %w", identity, err)
	case c.expectAbsent && isPrecondition(err):
		return fmt.Errorf("resource %s was created by somebody else since it was looked for: %w", identity, err)
	default:
		return nil
	}
}

// isPrecondition reports whether an error is a conflict about the object as a whole.
func isPrecondition(err error) bool {
	return apierrors.IsConflict(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
}

// replaced reports whether the apply was refused because the object is gone, which is a conflict, or another one, whose uid
// cannot be changed.
func (c resourceConfig) replaced(err error) bool {
	if c.expectUID == nil || *c.expectUID == "" {
		return false
	}
	if isPrecondition(err) {
		return true
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && status.ErrStatus.Details != nil &&
		slices.ContainsFunc(status.ErrStatus.Details.Causes, func(cause metav1.StatusCause) bool {
			return cause.Field == "metadata.uid"
		})
}
