package property_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

// accounts are the names of the service accounts in whose names rules are served. All have the same permissions: those that they need, or none.
var accounts = []string{"writer", "another"}

// copied are the resources of the copies.
var copied = []string{"configmaps", "secrets", "widgets"}

// writerRole is the name of the role of the service accounts.
const writerRole = "reads-and-writes-copies"

// account chooses the service account of a rule; empty: the operator itself. It uses numbers of its own, so that histories without it stay as
// they are.
func (d *driver) account() string {
	rng := rand.New(rand.NewPCG(d.seed+1, uint64(len(d.history))))
	if !d.named && rng.IntN(2) == 0 {
		return ""
	}
	return accounts[rng.IntN(len(accounts))]
}

// ofHome returns the service account of that name in the first namespace; nil for an empty name.
func (d *driver) ofHome(account string) *v1.ServiceAccountRef {
	if account == "" {
		return nil
	}
	return &v1.ServiceAccountRef{Namespace: d.name(homes[0]), Name: account}
}

// onlyAccounts has the operator serve no rule without a service account, and returns a function that expects that it has read no content and
// written no copy in another name than that of an account of the rule's: one of the first namespace or, for a Projection, of its own.
func (d *driver) onlyAccounts() (proven func()) {
	d.named = true
	options := d.options
	d.options = func(o *app.Options) {
		options(o)
		o.RequireServiceAccount = true
	}
	var mu sync.Mutex
	named, others := 0, map[string]int{}
	d.config = env.Intercept(d.config, func(request *http.Request, next http.RoundTripper) (*http.Response, error) {
		if namespace, content := contentOf(request); content && namespace != d.name("leases") {
			sender := request.Header.Get("Impersonate-User")
			at, account := strings.CutPrefix(sender, "system:serviceaccount:")
			at, _, _ = strings.Cut(at, ":")
			reads := request.Method == http.MethodGet && strings.HasPrefix(at, d.id+"-")
			mu.Lock()
			if account && (reads || at == namespace || at == d.name(homes[0])) {
				named++
			} else {
				others[request.Method+" "+request.URL.Path+" by "+sender]++
			}
			mu.Unlock()
		}
		return next.RoundTrip(request)
	})
	return func() {
		d.t.Helper()
		mu.Lock()
		defer mu.Unlock()
		assert.Empty(d.t, others, "%s", d.told())
		assert.NotZero(d.t, named)
	}
}

// contentOf returns the namespace of the object whose content the request reads or writes. A merge patch of metadata takes the operator's label
// and annotations off a copy that is retained, or puts its label back, and writes no content.
func contentOf(request *http.Request) (namespace string, content bool) {
	_, path, namespaced := strings.Cut(request.URL.Path, "/namespaces/")
	parts := strings.Split(path, "/") // <namespace>/<resource>/<name>
	if !namespaced || len(parts) < 3 || !slices.Contains(copied, parts[1]) {
		return "", false
	}
	switch request.Method {
	case http.MethodGet:
		return parts[0], !strings.Contains(request.Header.Get("Accept"), "PartialObjectMetadata")
	case http.MethodDelete:
		return "", false
	default:
		return parts[0], !mergesMetadata(request)
	}
}

// mergesMetadata reports whether the request is a merge patch of metadata alone.
func mergesMetadata(request *http.Request) bool {
	if request.Header.Get("Content-Type") != string(types.MergePatchType) || request.GetBody == nil {
		return false
	}
	body, err := request.GetBody()
	if err != nil {
		return false
	}
	var patch map[string]any
	err = json.NewDecoder(body).Decode(&patch)
	_, metadata := patch["metadata"]
	return err == nil && metadata && len(patch) == 1
}

func (d *driver) accountsBinding() *rbacv1.ClusterRoleBinding {
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: d.user + "-accounts"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: writerRole},
	}
	for _, role := range roles {
		for _, account := range accounts {
			binding.Subjects = append(binding.Subjects, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: d.name(role), Name: account})
		}
	}
	return binding
}

// permitAccounts gives the service accounts what they need, and returns when the API server knows.
func (d *driver) permitAccounts() {
	d.t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: writerRole}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: copied, Verbs: []string{"get", "create", "patch"}},
	}}
	for _, object := range []client.Object{role, d.accountsBinding()} {
		if err := d.client.Create(context.Background(), object); !apierrors.IsAlreadyExists(err) {
			require.NoError(d.t, err)
		}
	}
	d.stripped = false
	require.Eventually(d.t, func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: env.ServiceAccountUser(d.name(homes[0]), accounts[0]), ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "patch", Resource: "configmaps"},
		}}
		return d.client.Create(context.Background(), review) == nil && review.Status.Allowed
	}, timeout, interval)
}

// stripAccounts takes all permissions from the service accounts.
func (d *driver) stripAccounts() {
	err := d.client.Delete(context.Background(), d.accountsBinding())
	d.stripped = true
	d.did(err, "the service accounts have no permissions any more")
}

// changeAccount has a rule name another service account, or none.
func (d *driver) changeAccount() {
	account := d.account()
	patch := `{"spec":{"serviceAccountName":null}}`
	if account != "" {
		patch = `{"spec":{"serviceAccountName":"` + account + `"}}`
	}
	rule := client.Object(d.projection())
	if d.chance(50) {
		rule, patch = d.clusterProjection(), `{"spec":{"serviceAccount":null}}`
		if account != "" {
			patch = `{"spec":{"serviceAccount":{"namespace":"` + d.name(homes[0]) + `","name":"` + account + `"}}}`
		}
	}
	d.did(d.patch(rule, patch), "rule %T %s/%s is served in the name of %q", rule, rule.GetNamespace(), rule.GetName(), account)
}
