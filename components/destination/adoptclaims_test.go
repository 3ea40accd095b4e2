package destination_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
)

func TestClaimedObjectIsNeverAdopted(t *testing.T) {
	tests := map[string]struct{ marks, message string }{
		"another Projection's":    {`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`, "belongs to the Projection $NS/other; it is left alone"},
		"a ClusterProjection's":   {`{"metadata":{"annotations":{"projection.sh/owned-by-cluster-projection":"base"}}}`, "belongs to the ClusterProjection base; it is left alone"},
		"another cluster's":       {`{"metadata":{"annotations":{"projection.sh/owned-by-remote":"5b7d6c1e/ClusterProjection/rule"}}}`, "belongs to the ClusterProjection rule of the cluster with the hub id 5b7d6c1e; it is left alone; delete the object, or remove that annotation if no rule there is has made it"},
		"one of another place":    {`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"elsewhere/rule"}}}`, "has the annotation projection.sh/owned-by-projection; it is left alone; delete the object, or remove that annotation if no rule there is has made it"},
		"a copy of a copy":        {`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/rule","projection.sh/place":"a/b"}}}`, "was made from a copy at another place"},
		"two rules'":              {`{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/rule","projection.sh/owned-by-cluster-projection":"base"}}}`, "names two rules as its owner"},
		"released by this rule":   {`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"$UID"}}}`, "the copy was released"},
		"released by another":     {`{"metadata":{"labels":{"projection.sh/owned-by-cluster-projection-uid":"u"}}}`, "was released from a rule; it is left alone; delete it, or remove its label projection.sh/owned-by-cluster-projection-uid to let this rule adopt it"},
		"released by an earlier":  {`{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"earlier"}}}`, "was released from a rule"},
		"a source":                {`{"metadata":{"annotations":{"projection.sh/projectable":"true"}}}`, "is itself a source of rules (projection.sh/projectable); it is left alone; set another destination.name, or remove that label or annotation"},
		"a source with a typo":    {`{"metadata":{"annotations":{"projection.sh/projectable":"namespaces a"}}}`, "is itself a source of rules"},
		"a source of public keys": {`{"metadata":{"annotations":{"projection.sh/projectable":"false","projection.sh/public-keys":"color"}}}`, "is itself a source of rules (projection.sh/public-keys)"},
		"a source of reflector":   {`{"metadata":{"annotations":{"reflector.v1.k8s.emberstack.com/reflection-auto-enabled":"true"}}}`, "is itself a source of reflector (reflector.v1.k8s.emberstack.com/reflection-auto-enabled)"},
		"a source of replicator":  {`{"metadata":{"annotations":{"replicator.v1.mittwald.de/replicate-to":"a"}}}`, "is itself a source of kubernetes-replicator"},
		"a copy and a source":     {`{"metadata":{"annotations":{"replicator.v1.mittwald.de/replicated-at":"now","replicator.v1.mittwald.de/replication-allowed":"true"}}}`, "is itself a source of kubernetes-replicator"},
		"a source of kubed":       {`{"metadata":{"annotations":{"kubed.appscode.com/sync":""}}}`, "is itself a source of config-syncer"},
		"a source of Kyverno":     {`{"metadata":{"labels":{"generate.kyverno.io/clone-source":""}}}`, "is itself a source of Kyverno"},
		"a controller's":          {`{"metadata":{"ownerReferences":[{"apiVersion":"a/v1","kind":"Certificate","name":"web","uid":"u","controller":true}]}}`, "belongs to the Certificate web; it is left alone"},
		"an unnamed controller's": {`{"metadata":{"ownerReferences":[{"apiVersion":"a/v1","kind":"Not a kind","name":"web","uid":"u","controller":true}]}}`, "belongs to a controller; it is left alone"},
		"Helm's":                  {`{"metadata":{"annotations":{"meta.helm.sh/release-name":"shop","meta.helm.sh/release-namespace":"web"}}}`, "has a mark of Helm (meta.helm.sh/release-name); it is left alone; take it out there first, and remove that label or annotation"},
		"Argo CD's":               {`{"metadata":{"labels":{"app.kubernetes.io/instance":"shop"}}}`, "has a mark of Argo CD (app.kubernetes.io/instance); it is left alone"},
		"Flux's":                  {`{"metadata":{"labels":{"kustomize.toolkit.fluxcd.io/name":"apps"}}}`, "has a mark of Flux (kustomize.toolkit.fluxcd.io/name); it is left alone"},
		"a copier's and Helm's":   {`{"metadata":{"labels":{"app.kubernetes.io/managed-by":"Helm","hnc.x-k8s.io/inherited-from":"a"}}}`, "has a mark of Helm (app.kubernetes.io/managed-by); it is left alone"},
	}
	for name, test := range tests {
		for _, onConflict := range []v1.ConflictPolicy{v1.ConflictAdoptIdentical, v1.ConflictAdopt} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				w := newAdopter(t, onConflict)
				w.blocker("red")
				before := w.merge(w.fill(test.marks))
				outcome := w.apply(settings("red"))
				assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
				assert.Contains(t, outcome.Message, w.fill(test.message))
				assert.Equal(t, before, w.get(), "not a byte")
				assert.Equal(t, []string{http.MethodPatch, http.MethodGet}, w.tap.take())
				assert.True(t, w.apply(settings("red")).Repeated)
				assert.Empty(t, w.tap.take())
			})
		}
	}
}

func TestForeignObjectIsSkipped(t *testing.T) {
	for name, marks := range map[string]string{
		"an ordinary one":       `{}`,
		"another rule's":        `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/other"}}}`,
		"a copy of a copy":      `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/rule","projection.sh/place":"a/b"}}}`,
		"two rules'":            `{"metadata":{"annotations":{"projection.sh/owned-by-projection":"$NS/rule","projection.sh/owned-by-cluster-projection":"base"}}}`,
		"released by this rule": `{"metadata":{"labels":{"projection.sh/owned-by-projection-uid":"$UID"}}}`,
		"Helm's":                `{"metadata":{"labels":{"app.kubernetes.io/managed-by":"Helm"}}}`,
		"a controller's":        `{"metadata":{"ownerReferences":[{"apiVersion":"a/v1","kind":"Certificate","name":"web","uid":"u","controller":true}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newAdopter(t, v1.ConflictSkip)
			w.blocker("red")
			before := w.merge(w.fill(marks))
			skipped := destination.Outcome{Place: w.set.Place(w.at()), Skipped: true}
			assert.Equal(t, skipped, w.apply(settings("red")))
			assert.Equal(t, before, w.get(), "not a byte")
			assert.Equal(t, []string{http.MethodPatch, http.MethodGet}, w.tap.take())
			skipped.Repeated = true
			assert.Equal(t, skipped, w.apply(settings("blue")))
			assert.Empty(t, w.tap.take())

			w.set.OnConflict = ""
			assert.Equal(t, v1.ReasonDestinationConflict, w.apply(settings("red")).Reason, "the rule is edited")
		})
	}
}

func TestObjectThatIsBeingDeletedIsWaitedForWhateverThePolicy(t *testing.T) {
	for _, onConflict := range []v1.ConflictPolicy{v1.ConflictSkip, v1.ConflictAdoptIdentical, v1.ConflictAdopt} {
		t.Run(string(onConflict), func(t *testing.T) {
			w := newAdopter(t, onConflict)
			w.blocker("red")
			w.merge(`{"metadata":{"finalizers":["example.com/hold"]}}`)
			require.NoError(t, w.objects().Delete(t.Context(), "settings", metav1.DeleteOptions{}))
			before := w.get()
			outcome := w.apply(settings("red"))
			assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
			assert.Contains(t, outcome.Message, "an object is there that is being deleted")
			assert.Equal(t, before, w.get())
		})
	}
}

// TestObjectThatCannotBeChangedIsAskedOnce, and waited for: the message says to delete it.
func TestObjectThatCannotBeChangedIsAskedOnce(t *testing.T) {
	w := newAdopter(t, v1.ConflictAdopt)
	w.blocker("green")
	before := w.merge(`{"immutable":true}`)
	outcome := w.apply(settings("red"))
	assert.Equal(t, v1.ReasonDestinationConflict, outcome.Reason)
	assert.Equal(t, w.fill("an object is there that differs in a field that cannot be changed; it is left alone; to have a copy there, "+
		"run kubectl -n $NS delete configmaps settings (the object is invalid: data (FieldValueForbidden))"), outcome.Message)
	assert.Equal(t, before, w.get(), "not a byte")
	assert.Equal(t, adoption[:3], w.tap.take())
	assert.Equal(t, []types.NamespacedName{w.at()}, w.blockers.list())
	assert.True(t, w.apply(settings("red")).Repeated)
	assert.Empty(t, w.tap.take())
	w.apply(settings("blue"))
	assert.Equal(t, adoption[:3], w.tap.take(), "other content is wanted")
	w.delete()
	w.blockers.stir()
	assert.Equal(t, destination.Created, w.apply(settings("blue")).Action)
}

// TestAccountAdoptsOnlyWhatItMayDelete: the operator deletes copies in its own name.
func TestAccountAdoptsOnlyWhatItMayDelete(t *testing.T) {
	w, s := newFixture(t, configMaps), &senders{}
	operator := "adopting-" + w.namespace
	w.asAccount(s, operator, "create", "patch")
	w.allow(operatorSubject(operator), "configmaps", "get", "delete")
	w.set.OnConflict = v1.ConflictAdopt
	before := w.blocker("green")
	var outcome destination.Outcome
	require.Eventually(t, func() bool {
		outcome = w.apply(settings("red"))
		return strings.Contains(outcome.Message, "cannot delete resource")
	}, soon, tick)
	assert.Equal(t, v1.ReasonDestinationCreateFailed, outcome.Reason)
	assert.Equal(t, w.fill(`the object that is there cannot be adopted, and is left alone; grant $NS:tenant a role: kubectl -n $NS create role NAME --verb=create,patch,delete --resource=configmaps `+
		`(configmaps "settings" is forbidden: User "system:serviceaccount:$NS:tenant" cannot delete resource "configmaps" in API group "" in the namespace "$NS")`), outcome.Message)
	require.Error(t, outcome.Err)
	assert.True(t, outcome.Watched)
	assert.Equal(t, []types.NamespacedName{w.at()}, w.blockers.list(), "its end is waited for")
	assert.Equal(t, before, w.get(), "not a byte")

	w.allow(rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: w.namespace, Name: "tenant"}, "configmaps", "delete")
	require.Eventually(t, func() bool { return w.apply(settings("red")).Action == destination.Adopted }, soon, tick)
}

// TestSecretsAreAdoptedByTheirType: a credential never is, nor a Secret of another type.
func TestSecretsAreAdoptedByTheirType(t *testing.T) {
	const manifest = `{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: home}, type: Opaque, data: {a: Yg==}}`
	tests := map[string]struct {
		kind                      string
		identical, adopt, message string
	}{
		"equal":         {"Opaque", "", "", ""},
		"another type":  {"example.com/other", "says something else: type", "an object is there that differs in a field that cannot be changed; it is left alone; to have a copy there, run kubectl -n $NS delete secrets settings (", ""},
		"bootstrapping": {"bootstrap.kubernetes.io/token", "is a credential of its namespace", "is a credential of its namespace", ""},
	}
	for name, test := range tests {
		for onConflict, message := range map[v1.ConflictPolicy]string{v1.ConflictAdoptIdentical: test.identical, v1.ConflictAdopt: test.adopt} {
			t.Run(name+"/"+string(onConflict), func(t *testing.T) {
				w := newFixture(t, secrets)
				w.set.OnConflict = onConflict
				object := source(t, manifest)
				object.SetNamespace(w.namespace)
				require.NoError(t, unstructured.SetNestedField(object.Object, test.kind, "type"))
				before, err := w.objects().Create(t.Context(), object, metav1.CreateOptions{})
				require.NoError(t, err)
				outcome := w.apply(manifest)
				if message == "" {
					assert.Equal(t, destination.Adopted, outcome.Action)
					return
				}
				assert.Contains(t, outcome.Message, w.fill(message))
				assert.NotContains(t, outcome.Message, "Yg==")
				assert.Equal(t, before, w.get(), "not a byte")
			})
		}
	}
}
