package destination

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"projection.sh/operator/components/apierr"
)

// operation is what can fail of a copy: what is wrong then, and what to do if the API server forbids it.
type operation struct{ wrong, whenForbidden string }

// allowIt says what to do where the API server forbids a write.
const allowIt = "allow it, or change this rule"

var (
	rendering = operation{"the copy cannot be rendered", "correct the source"}
	reading   = operation{"the object that is there cannot be read, so nothing was changed", "grant the operator get, list and watch on the kind"}
	writing   = operation{"the copy cannot be written", allowIt}
	creating  = operation{"the copy cannot be created", allowIt}
	// recreating is the creation of a copy that was deleted for it.
	recreating = operation{"the operator deleted the copy to recreate it, and creates it as soon as the API server accepts it", allowIt}

	updating  = operation{"the copy cannot be updated and keeps its old content", allowIt}
	adopting  = operation{"the object that is there cannot be adopted, and is left alone", allowIt}
	finishing = operation{"the object was adopted, and its fields still belong to others, too", allowIt}
	deleting  = operation{"the copy cannot be deleted", "allow it, or release the copy"}
	retaining = operation{
		"the operator's label and annotations cannot be removed from the copy, as spec.policy.retain asks",
		"allow it, or remove the cause from spec.policy.retain",
	}
)

// explain returns the message of an operation that failed: what is wrong, what to do and, in parentheses, what the API server said. It quotes
// no value of the object.
func (s CopySet) explain(failed operation, place Place, err error) string {
	cause := err
	if blind, ok := errors.AsType[*readError](err); ok {
		cause = blind.cause
	}
	said := apierr.Message(s.redact(cause))
	return failed.wrong + "; " + s.advice(failed, place, said, cause) + " (" + said + ")"
}

// howToGrant says how to allow the service account of the rule to do what failed.
func (s CopySet) howToGrant(failed operation, place Place) string {
	verbs := "create,patch"
	switch failed {
	case reading:
		verbs = "get,create,patch"
	case adopting:
		verbs = "create,patch,delete"
	}
	return fmt.Sprintf("grant %s a role: kubectl -n %s create role NAME --verb=%s --resource=%s",
		s.User, place.Namespace, verbs, s.Resource.GroupResource())
}

// advice says what to do about the error.
func (s CopySet) advice(failed operation, place Place, said string, err error) string {
	_, isRecreated := errors.AsType[*recreatedError](err)
	switch {
	case isRecreated:
		return "it was created with the same content less than ten minutes ago, and is not recreated so soon; find out who changes it, such as a webhook"
	case errors.Is(err, errNotTried):
		return s.howToGrant(failed, place)
	case apierr.IsImmutable(err):
		return "an immutable field differs; to recreate the copy, run kubectl -n " + place.Namespace + " delete " +
			s.Resource.GroupResource().String() + " " + place.Name
	case apierr.IsWithheld(said):
		create := "secret generic"
		if s.Resource.Resource == "configmaps" {
			create = "configmap"
		}
		return "to see why, run kubectl -n " + place.Namespace + " create " + create + " NAME --dry-run=server"
	case apierr.IsUnsent(err):
		return apierr.Advice(err)
	case apierr.IsImpersonationForbidden(err):
		return s.User.HowToAllow()
	case s.User.Lacks(err):
		return s.howToGrant(failed, place)
	case apierrors.IsForbidden(err), apierr.IsDenied(err):
		return failed.whenForbidden
	case apierrors.IsInvalid(err) && strings.Contains(said, "metadata.name "):
		return "set another destination.name"
	case apierr.IsTerminal(err):
		return "correct the source or this rule"
	default:
		return "the operator retries"
	}
}
