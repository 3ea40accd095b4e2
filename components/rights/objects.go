package rights

import (
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// nameBytes is how many bytes of a hash tell users apart in the names of roles.
const nameBytes = 4

// Account is the service account by which the operator is known in a RemoteCluster.
type Account struct{ Namespace, Name string }

// Objects returns what has to exist in the RemoteCluster for the grants: the namespace and the account of the operator, roles and bindings.
func Objects(account Account, grants []Grant) []runtime.Object {
	objects := []runtime.Object{
		&corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: account.Namespace},
		},
		&corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta: metav1.ObjectMeta{Namespace: account.Namespace, Name: account.Name},
		},
	}
	for _, grant := range grants {
		objects = append(objects, grant.objects(account)...)
	}
	return objects
}

// objects returns a role, and who has it.
func (g Grant) objects(account Account) []runtime.Object {
	meta := metav1.ObjectMeta{Namespace: g.Namespace, Name: account.Name}
	subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}
	if g.User != "" {
		meta.Name += "-" + short(g.User)
		subject = rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: g.User}
	}
	if g.Namespace == "" {
		return []runtime.Object{
			&rbacv1.ClusterRole{TypeMeta: typed("ClusterRole"), ObjectMeta: meta, Rules: g.Rules},
			&rbacv1.ClusterRoleBinding{
				TypeMeta: typed("ClusterRoleBinding"), ObjectMeta: meta, Subjects: []rbacv1.Subject{subject}, RoleRef: refTo("ClusterRole", meta.Name),
			},
		}
	}
	return []runtime.Object{
		&rbacv1.Role{TypeMeta: typed("Role"), ObjectMeta: meta, Rules: g.Rules},
		&rbacv1.RoleBinding{TypeMeta: typed("RoleBinding"), ObjectMeta: meta, Subjects: []rbacv1.Subject{subject}, RoleRef: refTo("Role", meta.Name)},
	}
}

func typed(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}

func refTo(kind, name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
}

// short returns what tells users apart. Their names may have characters that a name of a role cannot have.
func short(user string) string {
	hash := sha256.Sum256([]byte(user))
	return hex.EncodeToString(hash[:nameBytes])
}
