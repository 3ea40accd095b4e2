package destination_test

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/test/env"
)

// recreating returns a fixture of a rule that recreates copies, which has one of that content.
func recreating(t *testing.T, resource schema.GroupVersionResource, content string) *fixture {
	t.Helper()
	w := newFixture(t, resource)
	w.set.Recreations = destination.NewRecreations(time.Now)
	require.Equal(t, destination.Created, w.apply(fixed("one", content)).Action)
	w.known(1)
	w.tap.take()
	return w
}

// recreated are the requests for a copy that is recreated: an update that is refused, a creation that is tried, the deletion and the creation.
var recreated = []string{http.MethodPatch, http.MethodPatch, http.MethodDelete, http.MethodPatch}

func TestCopyThatCannotBeChangedIsRecreated(t *testing.T) {
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	bindings := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"}
	web := func(app string) string {
		return `kind: Deployment, apiVersion: apps/v1, spec: {selector: {matchLabels: {app: ` + app + `}}, template: {metadata: {labels: {app: ` + app +
			`}}, spec: {containers: [{name: web, image: web}]}}}`
	}
	binding := func(role string) string {
		return `kind: RoleBinding, apiVersion: rbac.authorization.k8s.io/v1, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ` + role + `}`
	}
	tests := map[string]struct {
		resource        schema.GroupVersionResource
		content, second string
	}{
		"the selector of a Deployment": {deployments, web("one"), web("two")},
		"the role of a RoleBinding":    {bindings, binding("one"), binding("two")},
	}
	maps.Copy(tests, replacements)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := recreating(t, test.resource, test.content)
			before := w.get()
			outcome := w.apply(fixed("one", test.second))
			require.False(t, outcome.Failed(), outcome.Message)
			assert.Equal(t, destination.Recreated, outcome.Action)
			assert.Equal(t, recreated, w.tap.take())
			assert.NotEqual(t, before.GetUID(), w.get().GetUID())
			assert.Empty(t, w.queued, "the rule's own requests enqueue nobody")
		})
	}
}

const red, blue = `kind: ConfigMap, immutable: true, data: {color: red}`, `kind: ConfigMap, immutable: true, data: {color: blue}`

// TestCopyIsRecreatedOnlyIfItCouldBeCreated has a quota that lets no second ConfigMap in.
func TestCopyIsRecreatedOnlyIfItCouldBeCreated(t *testing.T) {
	w := recreating(t, configMaps, red)
	client := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1()
	full := corev1.ResourceList{"configmaps": resource.MustParse("0")}
	quota, err := client.ResourceQuotas(w.namespace).Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "full"}, Spec: corev1.ResourceQuotaSpec{Hard: full},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	quota.Status = corev1.ResourceQuotaStatus{Hard: full, Used: full} // as the controller does
	_, err = client.ResourceQuotas(w.namespace).UpdateStatus(t.Context(), quota, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := client.ConfigMaps(w.namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "other"}},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return apierrors.IsForbidden(err)
	}, soon, tick)
	before := w.get()
	outcome := w.apply(fixed("one", blue))
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.Contains(t, outcome.Message, "the copy cannot be updated and keeps its old content; ")
	assert.Contains(t, outcome.Message, "exceeded quota: full")
	assert.Equal(t, before.Object, w.get().Object)
	assert.Equal(t, recreated[:2], w.tap.take())
}

func TestCopyIsRecreatedAsItWasSeen(t *testing.T) {
	w := recreating(t, configMaps, red)
	w.tap.once(http.MethodDelete, func() { w.merge(`{"metadata":{"labels":{"theirs":"1"}}}`) })
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action)
	assert.Equal(t, "blue", w.get().Object["data"].(map[string]any)["color"])

	before := w.get()
	w.tap.once(http.MethodDelete, func() { w.merge(`{"metadata":{"annotations":{"` + v1.AnnotationOwnedByProjection + `":null}}}`) })
	assert.Equal(t, v1.ReasonDestinationConflict, w.apply(fixed("one", red)).Reason, "it was released")
	assert.Equal(t, before.GetUID(), w.get().GetUID())
}

func TestForeignObjectThatTakesThePlaceOfARecreatedCopyStays(t *testing.T) {
	w := recreating(t, configMaps, red)
	patches := 0
	w.tap.always(http.MethodPatch, func() {
		if patches++; patches == 3 {
			w.blocker("theirs")
		}
	})
	assert.Equal(t, v1.ReasonDestinationConflict, w.apply(fixed("one", blue)).Reason)
	assert.Equal(t, "theirs", color(w.get()))
}

func TestRecreatedCopyWithAFinalizerFollowsLater(t *testing.T) {
	w := recreating(t, configMaps, red)
	w.merge(`{"metadata":{"finalizers":["example.com/hold"]}}`)
	outcome := w.apply(fixed("one", blue))
	assert.Equal(t, "an object is there that is being deleted and waits for its finalizer example.com/hold; the copy follows when it is deleted", outcome.Message)
	w.merge(`{"metadata":{"finalizers":null}}`)
	w.blockers.stir()
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action)
}

func TestCopyThatIsNotWantedAnyMoreIsNotCreatedAgain(t *testing.T) {
	w := recreating(t, configMaps, red)
	withdrawn := false
	w.set.Withdrawn = func(string) bool { return withdrawn }
	w.tap.once(http.MethodDelete, func() { withdrawn = true })
	assert.True(t, w.apply(fixed("one", blue)).Pending)
	w.tap.take()
	withdrawn = false
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action, "its turn has ended")
}

// TestCopyIsNotDeletedIfItsCreationCannotBeTried has an account with the least permissions, which may create objects of that name only.
func TestCopyIsNotDeletedIfItsCreationCannotBeTried(t *testing.T) {
	w, s := newFixture(t, configMaps), &senders{}
	operator := "untried-" + w.namespace
	w.asAccount(s, operator, "bind")
	w.allow(operatorSubject(operator), "configmaps", "get", "delete")
	rule := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"settings"}, Verbs: []string{"create", "patch"}}
	w.allowOne(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, rule)
	require.Eventually(t, func() bool { return !w.apply(fixed("one", red)).Failed() }, env.Timeout, env.Interval)
	before := w.get()
	w.set.Recreations = destination.NewRecreations(time.Now)
	w.known(1)
	outcome := w.apply(fixed("one", blue))
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, outcome.Reason)
	assert.Contains(t, outcome.Message, "the copy cannot be updated and keeps its old content; grant "+w.namespace+":tenant a role: kubectl -n ")
	assert.Contains(t, outcome.Message, "is allowed to create objects of this name only")
	assert.Equal(t, before.GetUID(), w.get().GetUID())
}

// TestCopyIsNotDeletedThatIsToStay has the author of the rule change it while the API server tries to create the copy.
func TestCopyIsNotDeletedThatIsToStay(t *testing.T) {
	for name, recreations := range map[string]bool{"recreated": true, "replaced": false} {
		t.Run(name, func(t *testing.T) {
			w := recreating(t, configMaps, red)
			uid, patches := "one", 2
			if !recreations {
				w.set.Recreations, uid, patches = nil, "two", 1
			}
			before, withdrawn := w.get(), false
			w.set.Withdrawn = func(string) bool { return withdrawn }
			w.tap.always(http.MethodPatch, func() {
				if patches--; patches == 0 {
					withdrawn = true
				}
			})
			assert.True(t, w.apply(fixed(uid, blue)).Pending)
			assert.NotContains(t, w.tap.take(), http.MethodDelete)
			assert.Equal(t, before.GetUID(), w.get().GetUID())
		})
	}
}

// TestForeignObjectIsNotRecreated though the rule may overwrite it. Once it is a copy, it is recreated as any other.
func TestForeignObjectIsNotRecreated(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdopt)
	w.set.Recreations = destination.NewRecreations(time.Now)
	w.blocker("green")
	theirs := w.merge(`{"immutable":true}`)
	outcome := w.apply(fixed("one", red))
	assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
	assert.Contains(t, outcome.Message, "differs in a field that cannot be changed; it is left alone; ")
	assert.Equal(t, theirs.Object, w.get().Object, "not a byte")
	assert.NotContains(t, w.tap.take(), http.MethodDelete)

	w.blockers.stir()
	outcome = w.apply(fixed("one", `kind: ConfigMap, immutable: true, data: {color: green}`))
	require.Equal(t, destination.Adopted, outcome.Action, outcome.Message)
	w.known(1)
	w.tap.take()
	assert.Equal(t, destination.Recreated, w.apply(fixed("one", blue)).Action)
	assert.Equal(t, recreated, w.tap.take())
	assert.NotEqual(t, theirs.GetUID(), w.get().GetUID())
}

func TestClaimIsNotRecreated(t *testing.T) {
	claims := schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	claim := func(class string) string {
		return `kind: PersistentVolumeClaim, spec: {storageClassName: ` + class + `, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`
	}
	w := recreating(t, claims, claim("one"))
	before := w.get()
	assert.Equal(t, v1.ReasonDestinationUpdateFailed, w.apply(fixed("one", claim("two"))).Reason)
	assert.Equal(t, before.GetUID(), w.get().GetUID())
}

// TestCopiesAreRecreatedInTheNameOfTheAccount tries the creation in the name of the account, and deletes in that of the operator.
func TestCopiesAreRecreatedInTheNameOfTheAccount(t *testing.T) {
	w, s := newFixture(t, configMaps), &senders{}
	operator := "recreating-" + w.namespace
	require.Equal(t, destination.Created, w.apply(fixed("one", red)).Action)
	before := w.get()
	w.asAccount(s, operator, "patch")
	w.allow(operatorSubject(operator), "configmaps", "get", "delete")
	w.set.Recreations = destination.NewRecreations(time.Now)
	w.known(1)
	require.Eventually(t, func() bool { return w.apply(fixed("one", blue)).Reason == v1.ReasonDestinationUpdateFailed }, soon, tick)
	assert.Equal(t, before.GetUID(), w.get().GetUID(), "the account may not create")
	for _, request := range s.take() {
		assert.NotContains(t, request, "DELETE")
	}
	w.allow(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, "configmaps", "create")
	var sent []string
	require.Eventually(t, func() bool {
		s.take()
		outcome := w.apply(fixed("one", blue))
		sent = s.take()
		return outcome.Action == destination.Recreated
	}, soon, tick)
	account := env.ServiceAccountUser(w.namespace, "tenant")
	assert.Equal(t, []string{"PATCH " + account, "PATCH " + account, "DELETE ", "PATCH " + account}, sent)
}
