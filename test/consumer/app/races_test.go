package app_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "shop.example.com/webapp/api/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

// replaceCopy puts a Secret of somebody else in the place of a copy, and returns its resourceVersion.
func (w *world) replaceCopy(team string) string {
	w.Helper()
	copied := w.copies(team)[team]
	require.NoError(w, w.client.Delete(w.Context(), &copied))
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "db"}, Data: map[string][]byte{"password": []byte("theirs")}}
	require.NoError(w, w.client.Create(w.Context(), theirs))
	return theirs.ResourceVersion
}

// shared creates an app whose credentials have a copy, and returns the namespace of the copy.
func (w *world) shared() (team string) {
	w.Helper()
	team = w.newTeam()
	w.createCredentials("ours")
	w.create(sharedWith(team))
	w.reconcile()
	require.Len(w, w.copies(team), 1)
	return team
}

func TestSecretThatTakesThePlaceOfAStaleCopyIsNotDeleted(t *testing.T) {
	w := newWorld(t)
	team := w.shared()
	w.edit(func(s *v1.WebAppSpec) { s.ShareCredentialsWith = nil })
	var theirs string
	w.reconciler.Live = interceptor.NewClient(w.client, interceptor.Funcs{List: func(
		ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption,
	) error {
		err := c.List(ctx, list, opts...)
		if isListOfSecrets(list) && theirs == "" {
			theirs = w.replaceCopy(team)
		}
		return err
	}})
	w.reconcile()
	require.NotEmpty(t, theirs)
	assert.Equal(t, theirs, w.copies(team)[team].ResourceVersion)
}

func TestSecretThatTakesThePlaceOfACopyIsNotOverwritten(t *testing.T) {
	w := newWorld(t)
	team := w.shared()
	var theirs string
	w.reconciler.Live = interceptor.NewClient(w.client, interceptor.Funcs{Get: func(
		ctx context.Context, c client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption,
	) error {
		err := c.Get(ctx, key, into, opts...)
		if key.Namespace == team && theirs == "" {
			theirs = w.replaceCopy(team)
		}
		return err
	}})
	_, _ = w.tryReconcile()
	require.NotEmpty(t, theirs)
	assert.Equal(t, theirs, w.copies(team)[team].ResourceVersion)
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked)
	assert.Equal(t, theirs, w.copies(team)[team].ResourceVersion)
}

func TestSecretThatAppearsIsNotOverwritten(t *testing.T) {
	w := newWorld(t)
	team := w.newTeam()
	w.createCredentials("ours")
	w.create(sharedWith(team))
	theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "db"}, Data: map[string][]byte{"password": []byte("theirs")}}
	w.reconciler.Live = interceptor.NewClient(w.client, interceptor.Funcs{Get: func(
		ctx context.Context, c client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption,
	) error {
		err := c.Get(ctx, key, into, opts...)
		if key == client.ObjectKeyFromObject(theirs) && theirs.ResourceVersion == "" {
			require.NoError(t, w.client.Create(ctx, theirs))
		}
		return err
	}})
	_, err := w.tryReconcile()
	require.ErrorContains(t, err, "was created by somebody else since it was looked for")
	assert.Equal(t, theirs.ResourceVersion, w.copies(team)[team].ResourceVersion)
	w.reconcile()
	w.says(v1.CredentialsShared, metav1.ConditionFalse, component.GuardBlocked)
	assert.Equal(t, theirs.ResourceVersion, w.copies(team)[team].ResourceVersion)
}

func TestAppDoesNotWaitForSharing(t *testing.T) {
	w := newWorld(t)
	w.createCredentials("ours")
	w.create(sharedWith(w.newTeam()))
	w.reconciler.Live = interceptor.NewClient(w.client, interceptor.Funcs{List: func(
		ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption,
	) error {
		if isListOfSecrets(list) {
			return errors.New("the storage is slow")
		}
		return c.List(ctx, list, opts...)
	}})
	_, err := w.tryReconcile()
	require.ErrorContains(t, err, "the storage is slow")
	assert.Equal(t, "the storage is slow", w.says(v1.CredentialsShared, metav1.ConditionFalse, component.Error))
	get(w, &corev1.ConfigMap{}, "web-config")
	w.says(v1.ConfigurationReady, metav1.ConditionTrue, component.Healthy)
	w.says(v1.MigrationComplete, metav1.ConditionFalse, component.CompletionPending)
	w.says(v1.Ready, metav1.ConditionFalse, component.PrerequisiteNotMet)
}

func isListOfSecrets(list client.ObjectList) bool {
	return list.GetObjectKind().GroupVersionKind().Kind == "SecretList"
}
