package rights_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/rights"
)

const (
	identity    = ": get namespaces[kube-system]"
	lease       = "@projection-system: get,create,update,patch leases.coordination.k8s.io"
	definitions = ": list,watch customresourcedefinitions.apiextensions.k8s.io"
)

var (
	settings = pull("ConfigMap", "db", "settings")
	ca       = pull("ConfigMap", "pki", "ca")
	password = pull("Secret", "db", "password")
	selected = pull("ConfigMap", "db", "")
	role     = rights.Use{Direction: v1alpha1.Pull, Kind: schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "Role"}, Namespace: "db", Name: "reader"}
	pushed   = rights.Use{Direction: v1alpha1.Push, Kind: schema.GroupKind{Kind: "Secret"}}
)

func pull(kind, namespace, name string) rights.Use {
	return rights.Use{Direction: v1alpha1.Pull, RuleNamespace: "shop", Kind: schema.GroupKind{Kind: kind}, Namespace: namespace, Name: name}
}

func TestFor(t *testing.T) {
	ofCluster := settings
	ofCluster.RuleNamespace = ""
	for name, test := range map[string]struct {
		spec   v1alpha1.RemoteClusterSpec
		uses   []rights.Use
		wanted []string
	}{
		"without rules": {wanted: []string{identity, lease}},
		"the own cluster": {
			spec: v1alpha1.RemoteClusterSpec{Access: v1alpha1.ClusterAccess{InCluster: &v1alpha1.InClusterAccess{}}}, uses: []rights.Use{settings},
		},
		"another home": {
			spec:   v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Home: "hub"}},
			wanted: []string{identity, "@hub: get,create,update,patch leases.coordination.k8s.io"},
		},
		"two sources of a kind, and one of another": {
			uses:   []rights.Use{settings, ca, password},
			wanted: []string{": get,list,watch configmaps", identity, ": get,list,watch secrets", definitions, lease},
		},
		"in namespaces": {
			spec: scoped("pki", "db"), uses: []rights.Use{settings, pull("ConfigMap", "elsewhere", "settings")},
			wanted: []string{": get,list,watch configmaps", identity, definitions, lease},
		},
		"outside of the namespaces": {spec: scoped("pki"), uses: []rights.Use{settings}, wanted: []string{identity, lease}},
		"a kind that is not listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Kinds: []string{"ConfigMap"}}}, uses: []rights.Use{password},
			wanted: []string{identity, lease},
		},
		"a kind that names subjects": {uses: []rights.Use{role, pull("ServiceAccount", "db", "a")}, wanted: []string{identity, lease}},
		"a kind that names subjects and is listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Kinds: []string{"Role.rbac.authorization.k8s.io"}}}, uses: []rights.Use{role},
			wanted: []string{identity, definitions, ": get,list,watch roles.rbac.authorization.k8s.io", lease},
		},
		"a direction that is not listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Directions: []v1alpha1.Direction{v1alpha1.Push}}}, uses: []rights.Use{settings},
			wanted: []string{identity, lease},
		},
		"in the name of a user": {
			spec: v1alpha1.RemoteClusterSpec{Impersonate: &v1alpha1.ClusterImpersonation{User: "hub"}}, uses: []rights.Use{settings, ca, password},
			wanted: []string{
				": get,list,watch configmaps", identity, ": get,list,watch secrets", ": impersonate users[hub]", definitions, lease,
				"hub@db: get configmaps[settings]", "hub@db: get secrets[password]", "hub@pki: get configmaps[ca]",
			},
		},
		"in the name of a user who reads several": {
			spec:   v1alpha1.RemoteClusterSpec{Impersonate: &v1alpha1.ClusterImpersonation{User: "hub"}},
			uses:   []rights.Use{settings, selected, pull("ConfigMap", "db", "other")},
			wanted: []string{": get,list,watch configmaps", identity, ": impersonate users[hub]", definitions, lease, "hub@db: get configmaps"},
		},
		"in the name of a user of each namespace": {
			spec: v1alpha1.RemoteClusterSpec{Impersonate: &v1alpha1.ClusterImpersonation{PerNamespace: "ns:{namespace}"}}, uses: []rights.Use{settings, ofCluster},
			wanted: []string{": get,list,watch configmaps", identity, ": impersonate users[ns:shop]", definitions, lease, "ns:shop@db: get configmaps[settings]"},
		},
		"copies there": {
			uses: []rights.Use{pushed}, wanted: []string{
				identity, ": get,list,watch namespaces", ": create,patch,delete secrets", ": get,list,watch secrets", definitions, lease,
			},
		},
		"copies there, and only sources are permitted": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Directions: []v1alpha1.Direction{v1alpha1.Pull}}}, uses: []rights.Use{pushed},
			wanted: []string{identity, lease},
		},
		"copies there, of a kind that is not listed": {
			spec: v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Kinds: []string{"ConfigMap"}}}, uses: []rights.Use{pushed},
			wanted: []string{identity, lease},
		},
		"copies there, and a source of their kind": {
			uses: []rights.Use{password, pushed, pushed}, wanted: []string{
				identity, ": get,list,watch namespaces", ": create,patch,delete secrets", ": get,list,watch secrets", definitions, lease,
			},
		},
		"copies there, in namespaces": {
			spec: scoped("db"), uses: []rights.Use{pushed}, wanted: []string{
				identity, ": get,list,watch namespaces", ": get,list,watch secrets", definitions, "@db: create,patch,delete secrets", lease,
			},
		},
		"copies there, in namespaces and in the name of a user": {
			spec: v1alpha1.RemoteClusterSpec{
				Scope: v1alpha1.ClusterScope{Namespaces: []string{"db"}}, Impersonate: &v1alpha1.ClusterImpersonation{User: "hub"},
			},
			uses: []rights.Use{pushed}, wanted: []string{
				identity, ": get,list,watch namespaces", ": get,list,watch secrets", ": impersonate users[hub]", definitions, lease,
				"hub@db: get,create,patch,delete secrets",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.wanted, described(rights.For(&v1alpha1.RemoteCluster{Spec: test.spec}, plural, test.uses)))
		})
	}
}

func scoped(namespaces ...string) v1alpha1.RemoteClusterSpec {
	return v1alpha1.RemoteClusterSpec{Scope: v1alpha1.ClusterScope{Namespaces: namespaces}}
}

func plural(kind schema.GroupKind) schema.GroupResource {
	return schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind) + "s"}
}

// described writes each rule as USER@NAMESPACE: VERBS RESOURCES[NAMES].
func described(grants []rights.Grant) (all []string) {
	for _, grant := range grants {
		at := grant.User
		if grant.Namespace != "" {
			at += "@" + grant.Namespace
		}
		for _, rule := range grant.Rules {
			text := at + ": " + strings.Join(rule.Verbs, ",") + " " + schema.GroupResource{Group: rule.APIGroups[0], Resource: rule.Resources[0]}.String()
			if len(rule.ResourceNames) > 0 {
				text += "[" + strings.Join(rule.ResourceNames, ",") + "]"
			}
			all = append(all, text)
		}
	}
	return all
}
