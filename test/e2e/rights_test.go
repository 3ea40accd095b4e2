package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	everything = "get list watch create update patch delete deletecollection"
	reading    = "get list watch"
)

// rights are what everybody may do with our kinds, by the ClusterRole that they hold; nothing else.
var rights = map[string]map[string]string{
	"view":                     {"projections": reading, "projections/status": "get"},
	"edit":                     {"projections": everything, "projections/status": "get"},
	"admin":                    {"projections": everything, "projections/status": "get"},
	release + "-view":          {"projections": reading, "projections/status": "get"},
	release + "-edit":          {"projections": everything, "projections/status": "get"},
	release + "-cluster-admin": {"clusterprojections": everything, "clusterprojections/status": "get"},
}

// TestRightsOfEverybody asks the API server for every role, resource and verb.
func TestRightsOfEverybody(t *testing.T) {
	i := install(t, "")
	namespaces(t, "here", "there")
	for role := range rights {
		if strings.HasSuffix(role, "cluster-admin") {
			newPerson(t, "holder-of-"+role).everywhere(role)
		} else {
			newPerson(t, "holder-of-"+role).in("here", role)
		}
	}
	require.Eventually(t, func() bool { return i.may("holder-of-view", "here", "projections", "get") }, soon, tick, "the roles are not aggregated")
	for role, allowed := range rights {
		for _, resource := range []string{"projections", "projections/status", "projections/finalizers", "clusterprojections", "clusterprojections/status"} {
			for verb := range strings.FieldsSeq(everything) {
				clusterwide := strings.HasPrefix(resource, "cluster")
				want := strings.Contains(" "+allowed[resource]+" ", " "+verb+" ")
				namespace := "here"
				if clusterwide {
					namespace = ""
				}
				assert.Equal(t, want, i.may("holder-of-"+role, namespace, resource, verb), "%s %s as %s", verb, resource, role)
				if !clusterwide {
					assert.False(t, i.may("holder-of-"+role, "there", resource, verb), "%s %s in another namespace as %s", verb, resource, role)
				}
			}
		}
	}
}

// may asks the API server whether the user may do that.
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
