package rights

import (
	"cmp"
	"maps"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
)

// defaultHome is the namespace of the lease unless the RemoteCluster names another one.
const defaultHome = "projection-system"

// What is asked of objects. Content is read and written in the name of a user if the RemoteCluster says so; watches are not.
var (
	watching = []string{"get", "list", "watch"}
	writing  = []string{"create", "patch", "delete"}
)

// Resolver returns the resource as which the kind is served in the RemoteCluster.
type Resolver func(schema.GroupKind) schema.GroupResource

// Grant are permissions that somebody needs in a RemoteCluster.
type Grant struct {
	// User is whom the operator impersonates there; empty: the account of the operator.
	User string
	// Namespace is where the permissions hold; empty: in the whole cluster.
	Namespace string
	Rules     []rbacv1.PolicyRule
}

// Home returns the namespace of the lease in the RemoteCluster.
func Home(remote *v1alpha1.RemoteCluster) string { return cmp.Or(remote.Spec.Scope.Home, defaultHome) }

// For returns the permissions that the operator needs in the RemoteCluster for the uses and the publications, in a fixed order. What its scope forbids
// needs none, and the operator's own cluster has none to grant.
func For(remote *v1alpha1.RemoteCluster, resolve Resolver, uses []Use, publications ...Publication) []Grant {
	if remote.Spec.Access.InCluster != nil {
		return nil
	}
	needed := grants{}
	needed.addOwn(remote)
	for _, use := range uses {
		if use.IsWithin(remote) {
			needed.add(remote, resolve(use.Kind), use)
			needed.allow(place{}, rule(definitions, "list", "watch"))
		}
	}
	for _, published := range publications {
		if published.IsWithin(remote) {
			needed.publish(remote, resolve, published)
		}
	}
	return needed.sorted()
}

// Required returns the permissions that the operator itself needs for the uses. Nothing fails without the others that For returns, or something else
// reports it: the conditions Connected and Fenced the identity and the lease, and the rules what users may not do.
func Required(remote *v1alpha1.RemoteCluster, resolve Resolver, uses ...Use) []Grant {
	if remote.Spec.Access.InCluster != nil {
		return nil
	}
	needed := grants{}
	for _, use := range uses {
		if use.IsWithin(remote) {
			needed.add(remote, resolve(use.Kind), use)
		}
	}
	maps.DeleteFunc(needed, func(at place, _ []rbacv1.PolicyRule) bool { return at.user != "" })
	return needed.sorted()
}

// Attributes returns what the API server is asked to find out whether somebody has the permissions.
func (g Grant) Attributes() (all []authorizationv1.ResourceAttributes) {
	for _, rule := range g.Rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			for _, verb := range rule.Verbs {
				all = append(all, authorizationv1.ResourceAttributes{
					Namespace: g.Namespace, Verb: verb, Group: rule.APIGroups[0], Resource: rule.Resources[0], Name: name,
				})
			}
		}
	}
	return all
}

// place is who needs permissions where.
type place struct{ user, namespace string }

type grants map[place][]rbacv1.PolicyRule

// addOwn adds what the operator needs for itself: to see which cluster it is, and to hold the lease.
func (g grants) addOwn(remote *v1alpha1.RemoteCluster) {
	identity := rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"namespaces"}, ResourceNames: []string{metav1.NamespaceSystem}, Verbs: []string{"get"},
	}
	g.allow(place{}, identity)
	g.allow(place{namespace: Home(remote)}, rule(schema.GroupResource{Group: coordinationv1.GroupName, Resource: "leases"}, "get", "create", "update", "patch"))
}

// add adds what the operator needs for the use.
func (g grants) add(remote *v1alpha1.RemoteCluster, resource schema.GroupResource, use Use) {
	user := use.userOf(remote)
	g.allow(place{}, rule(resource, watching...))
	if use.Direction == v1alpha1.Push {
		g.allow(place{}, rule(namespaces, watching...))
		if use.CreatesNamespaces {
			g.allow(place{user: user}, rule(namespaces, "create", "patch"))
		}
		if user == "" {
			for _, namespace := range namespacesOf(remote) {
				g.allow(place{namespace: namespace}, rule(resource, writing...))
			}
		}
	}
	if user != "" {
		g.addUser(remote, user, resource, use)
	}
}

// addUser adds what it takes to make the use in the name of the user.
func (g grants) addUser(remote *v1alpha1.RemoteCluster, user string, resource schema.GroupResource, use Use) {
	g.impersonate(user)
	content := rule(resource, "get")
	if use.Direction == v1alpha1.Push {
		content.Verbs = append(content.Verbs, writing...)
	}
	if use.Name != "" {
		content.ResourceNames = []string{use.Name}
	}
	within := namespacesOf(remote)
	if use.Namespace != "" {
		within = []string{use.Namespace}
	}
	for _, namespace := range within {
		g.allow(place{user, namespace}, content)
	}
}

// impersonate adds what it takes to make requests in the name of the user.
func (g grants) impersonate(user string) {
	impersonate := rule(schema.GroupResource{Resource: "users"}, "impersonate")
	impersonate.ResourceNames = []string{user}
	g.allow(place{}, impersonate)
}

// namespacesOf returns those of the scope, or the empty one, which stands for the whole cluster.
func namespacesOf(remote *v1alpha1.RemoteCluster) []string {
	if scoped := remote.Spec.Scope.Namespaces; len(scoped) > 0 {
		return scoped
	}
	return []string{metav1.NamespaceAll}
}

func rule(resource schema.GroupResource, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{resource.Group}, Resources: []string{resource.Resource}, Verbs: verbs}
}

// allow adds the rule in the place, unless one that is there permits more. One that is there for the same resource and verbs gets its names, or loses
// them if the new one has none.
func (g grants) allow(at place, added rbacv1.PolicyRule) {
	g[at] = slices.DeleteFunc(g[at], func(known rbacv1.PolicyRule) bool {
		return !slices.Equal(known.Verbs, added.Verbs) && covers(added, known)
	})
	for i := range g[at] {
		known := &g[at][i]
		if covers(*known, added) {
			return
		}
		if known.APIGroups[0] != added.APIGroups[0] || known.Resources[0] != added.Resources[0] || !slices.Equal(known.Verbs, added.Verbs) {
			continue
		}
		if len(known.ResourceNames) == 0 || len(added.ResourceNames) == 0 {
			known.ResourceNames = nil
			return
		}
		names := slices.Concat(known.ResourceNames, added.ResourceNames)
		slices.Sort(names)
		known.ResourceNames = slices.Compact(names)
		return
	}
	g[at] = append(g[at], added)
}

// covers reports whether a rule permits all that another one does, of which neither is for certain objects.
func covers(wide, narrow rbacv1.PolicyRule) bool {
	isElse := func(verb string) bool { return !slices.Contains(wide.Verbs, verb) }
	return wide.APIGroups[0] == narrow.APIGroups[0] && wide.Resources[0] == narrow.Resources[0] && len(wide.ResourceNames)+len(narrow.ResourceNames) == 0 &&
		!slices.ContainsFunc(narrow.Verbs, isElse)
}

// sorted returns the grants: those of the operator first, and the whole cluster before namespaces.
func (g grants) sorted() []Grant {
	all := make([]Grant, 0, len(g))
	for at, rules := range g {
		slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int {
			return cmp.Or(
				cmp.Compare(a.APIGroups[0], b.APIGroups[0]), cmp.Compare(a.Resources[0], b.Resources[0]), slices.Compare(a.Verbs, b.Verbs),
			)
		})
		all = append(all, Grant{User: at.user, Namespace: at.namespace, Rules: rules})
	}
	slices.SortFunc(all, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Namespace, b.Namespace))
	})
	return all
}
