package projector

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/components/policy"
)

// checkConsent asks whether the source may be copied, and in which namespaces. If it may not, the copies are deleted: the rule wants none. The
// guard of each copy asks again right before the copy is written.
func (s *scope[O]) checkConsent(ctx context.Context) error {
	if !s.spec.Selects() {
		for _, source := range s.all() {
			source.checkConsent()
		}
		s.takeFirst()
		s.askFormers(ctx)
		s.setPermission()
		return nil
	}
	var permissions []policy.Permission
	for _, source := range s.sources {
		if source.source == nil && source.metadata != nil { // it was not read
			source.permission, _ = policy.PermissionOf(source.metadata.GetAnnotations())
		}
		permissions = append(permissions, source.permission)
	}
	if len(s.spec.Policy.Retain) > 0 {
		unselected := s.unselectedSources()
		s.explainUnselected(ctx, unselected)
		for _, source := range unselected {
			permissions = append(permissions, source.permission)
		}
	}
	s.hub.Permissions.Set(s.key, permissions...)
	return nil
}

func (s *sourceScope[O]) checkConsent() {
	if s.source != nil {
		if s.problem = s.planner.CheckConsent(s.spec, s.source); !s.problem.IsZero() {
			s.source = nil
		}
	}
	if s.metadata != nil && s.err != nil {
		s.permit(s.metadata)
		return
	}
	s.permit(s.source)
}

// setPermission has events of namespaces enqueue the rule if the owners of its source and its layers permit copies in some namespaces only, or those of
// objects that its copies name still.
func (s *scope[O]) setPermission() {
	permissions := []policy.Permission{s.permission()}
	for _, former := range s.formersOfCopies() {
		permissions = append(permissions, former.permission)
	}
	s.hub.Permissions.Set(s.key, permissions...)
}

// permit notes where the owner of the source permits copies. Nil: nothing is to be copied.
func (s *sourceScope[O]) permit(source *unstructured.Unstructured) {
	if source != nil {
		s.permission, _ = policy.PermissionOf(source.GetAnnotations()) // CheckConsent has reported the error
	}
}
