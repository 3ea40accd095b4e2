package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/component"
)

func sharedWith(namespaces ...string) func(*v1.WebAppSpec) {
	return func(s *v1.WebAppSpec) {
		withCredentials(s)
		s.ShareCredentialsWith = namespaces
	}
}

// copies returns the Secrets of the name db, by their namespaces.
func (w *world) copies(namespaces ...string) map[string]corev1.Secret {
	w.Helper()
	found := map[string]corev1.Secret{}
	for _, namespace := range namespaces {
		var secrets corev1.SecretList
		require.NoError(w, w.client.List(w.Context(), &secrets, client.InNamespace(namespace)))
		for _, secret := range secrets.Items {
			found[secret.Namespace] = secret
		}
	}
	return found
}

func TestCredentialsAreShared(t *testing.T) {
	w := newWorld(t)
	one, two := w.newTeam(), w.newTeam()
	w.createCredentials("first")
	w.create(sharedWith(one, two))
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionTrue, component.Healthy)
	copies := w.copies(one, two)
	require.Len(t, copies, 2)
	assert.Equal(t, []byte("first"), copies[one].Data["password"])
	assert.Empty(t, copies[one].OwnerReferences, "an owner in another namespace is none")

	w.edit(sharedWith(two))
	w.reconcile()
	assert.Len(t, w.copies(one, two), 1)

	require.NoError(t, w.client.Delete(t.Context(), w.app()))
	for range 2 {
		w.reconcile()
	}
	assert.Empty(t, w.copies(one, two))
	w.absent(&v1.WebApp{}, "web")
	assert.Len(t, w.copies(w.namespace), 1, "the user's Secret")
}

func TestSharedCredentialsFollowTheirSource(t *testing.T) {
	w := newWorld(t)
	team := w.newTeam()
	w.create(sharedWith(team))
	w.reconcile()
	assert.Equal(t, "waiting for v1/Secret/"+w.namespace+"/db", w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked))

	w.createCredentials("first")
	w.reconcile()
	source := get(w, &corev1.Secret{}, "db")
	source.Data["password"] = []byte("second")
	require.NoError(t, w.client.Update(t.Context(), source))
	w.reconcile()
	assert.Equal(t, []byte("second"), w.copies(team)[team].Data["password"])

	require.NoError(t, w.client.Delete(t.Context(), source))
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked)
	assert.Len(t, w.copies(team), 1, "a copy is not deleted because its source is missing")
}

func TestForeignSecretIsNotOverwritten(t *testing.T) {
	w := newWorld(t)
	team := w.newTeam()
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "db"}, Data: map[string][]byte{"password": []byte("theirs")}}
	require.NoError(t, w.client.Create(t.Context(), theirs))
	w.createCredentials("ours")
	w.create(sharedWith(team))
	w.reconcile()
	assert.Equal(t, "the Secret "+team+"/db is not a copy of this app's", w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked))
	assert.Equal(t, theirs.ResourceVersion, w.copies(team)[team].ResourceVersion)

	require.NoError(t, w.client.Delete(t.Context(), w.app()))
	for range 2 {
		w.reconcile()
	}
	assert.Equal(t, theirs.ResourceVersion, w.copies(team)[team].ResourceVersion)
}

func TestNamespaceDecidesWhetherItGetsCredentials(t *testing.T) {
	w := newWorld(t)
	team := w.newNamespace()
	w.createCredentials("first")
	w.create(sharedWith(team))
	w.reconcile()
	assert.Equal(t, "the namespace "+team+" does not have the label shop.example.com/accepts-credentials=true",
		w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked))
	assert.Empty(t, w.copies(team))

	other := w.newTeam()
	w.edit(sharedWith(team, other))
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked)
	assert.Len(t, w.copies(team, other), 1, "the other namespace does not wait")

	w.accept(team)
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionTrue, component.Healthy)
	assert.Len(t, w.copies(team, other), 2)
}

func TestOwnNamespaceHasTheCredentialsAlready(t *testing.T) {
	w := newWorld(t)
	team := w.newTeam()
	w.createCredentials("first")
	w.create(sharedWith(w.namespace, team))
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionTrue, component.Healthy)
	assert.Len(t, w.copies(team), 1)
	assert.Empty(t, w.copies(w.namespace)[w.namespace].Labels, "the user's Secret")
}
