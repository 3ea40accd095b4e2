package rights_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	authorizationv1 "k8s.io/api/authorization/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
)

func TestRequired(t *testing.T) {
	for name, test := range map[string]struct {
		spec   v1alpha1.RemoteClusterSpec
		uses   []rights.Use
		wanted []string
	}{
		"without rules": {},
		"the own cluster": {
			spec: v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}}}, uses: []rights.Use{settings},
		},
		"sources":                  {uses: []rights.Use{settings, ca, password}, wanted: []string{": get,list,watch configmaps", ": get,list,watch secrets"}},
		"outside of the scope":     {spec: scoped("pki"), uses: []rights.Use{settings}},
		"copies, in one namespace": {spec: scoped("db"), uses: []rights.Use{pushed}, wanted: []string{": get,list,watch namespaces", ": get,list,watch secrets", "@db: create,patch,delete secrets"}},
		"in the name of a user": {
			spec: v1alpha1.RemoteClusterSpec{Impersonate: &v1alpha1.ClusterImpersonation{User: "hub"}}, uses: []rights.Use{settings},
			wanted: []string{": get,list,watch configmaps", ": impersonate users[hub]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.wanted, described(rights.Required(&v1alpha1.RemoteCluster{Spec: test.spec}, plural, test.uses...)))
		})
	}
}

func TestAttributes(t *testing.T) {
	grants := rights.Required(&v1alpha1.RemoteCluster{Spec: v1alpha1.RemoteClusterSpec{
		Scope: v1alpha1.ClusterScope{Namespaces: []string{"db"}}, Impersonate: &v1alpha1.ClusterImpersonation{PerNamespace: "ns:{namespace}"},
	}}, plural, settings)
	var asked []authorizationv1.ResourceAttributes
	for _, grant := range grants {
		asked = append(asked, grant.Attributes()...)
	}
	assert.Equal(t, []authorizationv1.ResourceAttributes{
		{Verb: "get", Resource: "configmaps"}, {Verb: "list", Resource: "configmaps"}, {Verb: "watch", Resource: "configmaps"},
		{Verb: "impersonate", Resource: "users", Name: "ns:shop"},
	}, asked)
}
