package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/test/env"
)

const (
	everything = "get list watch create update patch delete deletecollection"
	reading    = "get list watch"
)

// rights are what everybody may do with our kinds, by the ClusterRole that they hold; nothing else.
var rights = map[string]map[string]string{
	"view":            {"projections": reading, "projections/status": "get"},
	"edit":            {"projections": everything, "projections/status": "get"},
	"admin":           {"projections": everything, "projections/status": "get"},
	release + "-view": {"projections": reading, "projections/status": "get"},
	release + "-edit": {"projections": everything, "projections/status": "get"},
	release + "-cluster-admin": {
		"clusterprojections": everything, "clusterprojections/status": "get", "publishedresources": everything,
		"publishedresources/status": "get", "remoteclusters": everything, "remoteclusters/status": "get",
	},
}

// resources are those whose rights are asked for. No role is for the operator's part of them.
var resources = []string{
	"projections", "projections/status", "projections/finalizers",
	"clusterprojections", "clusterprojections/status", "clusterprojections/finalizers",
	"publishedresources", "publishedresources/status", "publishedresources/finalizers",
	"remoteclusters", "remoteclusters/status", "remoteclusters/finalizers",
}

// TestRightsOfEverybody asks the API server for every role, resource and verb: of those who hold a role in one namespace,
// and of those who hold it everywhere.
func TestRightsOfEverybody(t *testing.T) {
	i := install(t, "")
	namespaces(t, "here", "there")
	for role := range rights {
		newPerson(t, "local-"+role).in("here", role)
		newPerson(t, "global-"+role).everywhere(role)
	}
	for _, role := range []string{"view", "edit", "admin"} {
		require.Eventually(t, func() bool { return i.may("local-"+role, "here", "projections", "get") }, timeout, env.Interval, "%s is not aggregated", role)
	}
	for role, allowed := range rights {
		for _, resource := range resources {
			for verb := range strings.FieldsSeq(everything) {
				given := strings.Contains(" "+allowed[resource]+" ", " "+verb+" ")
				asked := map[string]bool{"": false}
				if strings.HasPrefix(resource, "projections") { // nobody asks for the others in a namespace
					asked["here"], asked["there"] = given, false
				}
				for namespace, local := range asked {
					assert.Equal(t, local, i.may("local-"+role, namespace, resource, verb), "%s %s in %q by %s here", verb, resource, namespace, role)
					assert.Equal(t, given, i.may("global-"+role, namespace, resource, verb), "%s %s in %q by %s everywhere", verb, resource, namespace, role)
				}
			}
		}
	}
}

// may asks the API server whether the user may do that; an empty namespace means all of them, or none.
func (i *installation) may(user, namespace, resource, verb string) bool {
	i.t.Helper()
	resource, subresource, _ := strings.Cut(resource, "/")
	review, err := i.kube.AuthorizationV1().SubjectAccessReviews().Create(i.t.Context(), &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: verb, Group: "projection.sh", Resource: resource, Subresource: subresource,
		}},
	}, metav1.CreateOptions{})
	require.NoError(i.t, err)
	return review.Status.Allowed
}
