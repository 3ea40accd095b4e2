package integration_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
)

// TestKeysThatAreNotPublicAnyMoreDoNotDependOnTheAccount has the owner of a Secret take a key back that the account may not read any more.
func TestKeysThatAreNotPublicAnyMoreDoNotDependOnTheAccount(t *testing.T) {
	w := newWorld(t)
	secret := w.Apply(`
apiVersion: v1
kind: Secret
metadata:
  name: ca
  namespace: $HOME
  annotations: {projection.sh/projectable: "true", projection.sh/public-keys: ca.crt}
stringData: {ca.crt: public, tls.key: private}
`)
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, Name: "promoter"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}}},
	}
	require.NoError(t, w.Client.Create(t.Context(), role))
	reading := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, Name: "promoter"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "promoter"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: "promoter"}},
	}
	require.NoError(t, w.Client.Create(t.Context(), reading))
	w.grant("promoter", w.Away, "create patch")
	rule := w.Project("rule", secret, asAccount("promoter"), func(rule *v1.Projection) {
		rule.Spec.Destination.Kind = "ConfigMap"
		rule.Spec.Content.Data.Include = []string{"ca.crt"}
	})
	w.Ready(rule)
	copied := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: $AWAY}}`)
	w.Exists(copied, w.Away, "ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "public" })

	w.Delete(reading)
	w.knows("promoter", false, authorizationv1.ResourceAttributes{Namespace: w.Home, Verb: "get", Resource: "secrets"})
	w.Merge(secret, `{"metadata":{"annotations":{"projection.sh/public-keys":null}}}`)
	w.gone(copied, w.Away, "ca")
	w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonSourceNotProjectable)
}
