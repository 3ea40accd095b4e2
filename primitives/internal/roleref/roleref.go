// Package roleref checks the role that a binding refers to.
package roleref

import (
	"errors"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Validate fails for a reference that is not complete.
func Validate(reference rbacv1.RoleRef) error {
	if reference.APIGroup == "" || reference.Kind == "" || reference.Name == "" {
		return errors.New("roleRef must have non-empty APIGroup, Kind, and Name")
	}
	return nil
}
