package rights

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
)

// Use is what a rule does with objects of a RemoteCluster.
type Use struct {
	// Direction is Pull if the objects are sources of the rule, and Push if they are copies.
	Direction v1alpha1.Direction
	// RuleNamespace is the namespace of the rule; empty: it belongs to no namespace.
	RuleNamespace string
	Kind          schema.GroupKind
	// CreatesNamespaces reports whether the rule creates namespaces that there are not.
	CreatesNamespaces bool
	// Namespace and Name are those of the object; empty: there may be several.
	Namespace, Name string
}

// IsWithin reports whether the scope of the RemoteCluster and whom it impersonates permit the use.
func (u Use) IsWithin(remote *v1alpha1.RemoteCluster) bool {
	scope := remote.Spec.Scope
	if len(scope.Directions) > 0 && !slices.Contains(scope.Directions, u.Direction) {
		return false
	}
	if u.Namespace != "" && len(scope.Namespaces) > 0 && !slices.Contains(scope.Namespaces, u.Namespace) {
		return false
	}
	if as := remote.Spec.Impersonate; as != nil && as.PerNamespace != "" && u.RuleNamespace == "" {
		return false
	}
	return isKindWithin(scope, u.Kind)
}

// isKindWithin reports whether objects of the kind may be copied. Those that name subjects have to be listed, since the names mean others there.
func isKindWithin(scope v1alpha1.ClusterScope, kind schema.GroupKind) bool {
	if len(scope.Kinds) > 0 {
		return slices.Contains(scope.Kinds, kind.String())
	}
	return kind.Group != rbacv1.GroupName && kind != schema.GroupKind{Kind: "ServiceAccount"}
}

// userOf returns the user in whose name the use is made; empty: the operator itself.
func (u Use) userOf(remote *v1alpha1.RemoteCluster) string {
	as := remote.Spec.Impersonate
	switch {
	case as == nil:
		return ""
	case as.User != "":
		return as.User
	default:
		return strings.ReplaceAll(as.PerNamespace, "{namespace}", u.RuleNamespace)
	}
}
