package integration_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
)

// TestKeysThatAreNotPublicAnyMoreDoNotDependOnTheAccount has the owner of a Secret take a key back that the account may not read any more.
func TestKeysThatAreNotPublicAnyMoreDoNotDependOnTheAccount(t *testing.T) {
	tests := map[string]struct {
		edit   string // of the rule, which leaves the ConfigMap
		reason string // why the rule is not ready when the key was taken back
	}{
		"the rule copies the key": {reason: v1.ReasonSourceNotProjectable},
		"the rule copies the Secret as such, which the account may not write": {
			edit: `{"spec":{"destination":{"kind":null},"content":null}}`, reason: v1.ReasonSourceFetchFailed,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
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
			reading := w.letRead("promoter", "secrets")
			w.grant("promoter", w.Away, "create patch")
			rule := w.Project("rule", secret, asAccount("promoter"), func(rule *v1.Projection) {
				rule.Spec.Destination.Kind = "ConfigMap"
				rule.Spec.Content.Data.Include = []string{"ca.crt"}
			})
			w.Ready(rule)
			copied := w.Object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: $AWAY}}`)
			w.Exists(copied, w.Away, "ca", func(o *unstructured.Unstructured) bool { return data(o, "ca.crt") == "public" })
			if test.edit != "" {
				w.Merge(rule, test.edit)
				w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDestinationCreateFailed)
				w.Exists(copied, w.Away, "ca", fixture.Anything)
			}

			w.Delete(reading)
			w.knows("promoter", false, authorizationv1.ResourceAttributes{Namespace: w.Home, Verb: "get", Resource: "secrets"})
			w.Merge(secret, `{"metadata":{"annotations":{"projection.sh/public-keys":null}}}`)
			w.gone(copied, w.Away, "ca")
			w.Says(rule, v1.ConditionReady, metav1.ConditionFalse, test.reason)
		})
	}
}

// letRead lets a service account of the targets' namespace read the sources of one resource.
func (w *world) letRead(account, resource string) *rbacv1.RoleBinding {
	w.T.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, Name: account},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get"}}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), role))
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, Name: account},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: w.Away, Name: account}},
	}
	require.NoError(w.T, w.Client.Create(w.T.Context(), binding))
	w.knows(account, true, authorizationv1.ResourceAttributes{Namespace: w.Home, Verb: "get", Resource: resource})
	return binding
}
