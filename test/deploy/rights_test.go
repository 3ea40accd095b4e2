package deploy_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/fixture"
)

// right is one verb on one resource.
type right struct{ verb, group, resource string }

func (r right) String() string { return fmt.Sprintf("%s %s.%s", r.verb, r.resource, r.group) }

// The operator runs the stories of its users with the rights that the chart gives, and no more. Nothing is refused, and
// nothing was given in vain.
func TestOperatorUsesExactlyTheRightsThatItHas(t *testing.T) {
	install(t, `supportedKinds: [{apiGroup: "", resources: [configmaps]}]`)
	mark := fixture.Mark(t, cluster)
	o := operate(t, release)
	tells(t, o)
	tellsOfAnAccount(t)
	require.NoError(t, o.Stop())

	requests := fixture.RequestsSince(t, cluster, mark, env.ServiceAccountUser(namespace, release))
	used := map[right]bool{}
	for _, request := range requests {
		if request.As != "" { // by the rights of the service account
			used[right{"impersonate", "", "serviceaccounts"}] = true
			continue
		}
		assert.NotEqualf(t, int32(http.StatusForbidden), request.Code, "the role misses the right to %s", request)
		for _, verb := range verbsOf(request) {
			used[right{verb, request.Group, resourceOf(request)}] = true
		}
	}
	held := heldBy(t, release)
	require.NotEmpty(t, held)
	for _, r := range held {
		if r.verb == "own" { // the policy "ownership" asks for it, and no request shows that
			continue
		}
		assert.Truef(t, used[r], "nothing uses the right to %s", r)
	}
	for _, r := range slices.SortedFunc(maps.Keys(used), func(a, b right) int { return strings.Compare(a.String(), b.String()) }) {
		if r.resource != "" {
			assert.Containsf(t, held, r, "the right to %s comes from elsewhere", r)
		}
	}
}

// verbsOf returns the verbs that the API server asked for: an apply that makes an object needs the right to create, too.
func verbsOf(request env.Request) []string {
	if request.Verb == "patch" && request.Code == http.StatusCreated {
		return []string{"patch", "create"}
	}
	return []string{request.Verb}
}

func resourceOf(request env.Request) string {
	return strings.TrimSuffix(request.Resource+"/"+request.Subresource, "/")
}

// heldBy returns what the roles of that name give.
func heldBy(t *testing.T, name string) []right {
	t.Helper()
	roles := kubernetes.NewForConfigOrDie(cluster.Config).RbacV1()
	clusterRole, err := roles.ClusterRoles().Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	role, err := roles.Roles(namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return rightsOf(slices.Concat(clusterRole.Rules, role.Rules))
}

// rightsOf takes rules apart, in the order of their names.
func rightsOf(rules []rbacv1.PolicyRule) []right {
	rights := map[right]bool{}
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					rights[right{verb, group, resource}] = true
				}
			}
			for _, url := range rule.NonResourceURLs {
				rights[right{verb, "", url}] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(rights), func(a, b right) int { return strings.Compare(a.String(), b.String()) })
}
