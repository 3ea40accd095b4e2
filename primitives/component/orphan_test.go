package component_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"projection.sh/operator/primitives/component"
)

func TestOrphanLosesTheReferenceToTheOwnerOnly(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one", "key", "value")) }))
	w.recorded()
	other := w.newOwner("other")
	live := w.configMap("one")
	live.OwnerReferences = append(live.OwnerReferences, metav1.OwnerReference{
		APIVersion: "kit.example.com/v1", Kind: "App", Name: other.Name, UID: other.UID,
	})
	require.NoError(t, w.client.Update(t.Context(), live))
	orphaning := func(b *component.Builder) { b.WithResource(w.stub("one"), component.OrphanWhen(true)) }

	require.NoError(t, w.reconcile(orphaning))

	orphan := w.configMap("one")
	require.Len(t, orphan.OwnerReferences, 1)
	assert.Equal(t, other.UID, orphan.OwnerReferences[0].UID)
	assert.Equal(t, "value", orphan.Data["key"])
	assert.Equal(t, []string{
		"Normal ResourceOrphaned Resource v1/ConfigMap/<ns>/one orphaned: owner reference removed",
	}, w.recorded())

	require.NoError(t, w.reconcile(orphaning), "there is no reference any more")
	assert.Empty(t, w.recorded())
	assert.Equal(t, orphan.ResourceVersion, w.configMap("one").ResourceVersion)
}

func TestOrphanOfAMissingObjectIsNothing(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one"), component.OrphanWhen(true)) }))
	assert.Empty(t, w.recorded())
	w.requireCondition(metav1.ConditionTrue, component.Healthy, "Component is healthy.")
}

func TestOrphaningIsTriedAgainAfterAConflict(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one")) }))
	tries := 0
	w.intercept(interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, object client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if tries++; tries == 1 {
				w.applyAs("someone", "one", map[string]string{"changed": "meanwhile"})
			}
			return c.Patch(ctx, object, patch, opts...)
		},
	})
	require.NoError(t, w.reconcile(func(b *component.Builder) { b.WithResource(w.stub("one"), component.OrphanWhen(true)) }))
	assert.Equal(t, 2, tries)
	assert.Empty(t, w.configMap("one").OwnerReferences)
	assert.Equal(t, "meanwhile", w.configMap("one").Data["changed"])
}

func TestErrorsOfOrphaning(t *testing.T) {
	boom := errors.New("boom")
	w := newWorld(t)
	broken := w.stub("one")
	broken.objectErr = boom
	err := w.reconcile(func(b *component.Builder) { b.WithResource(broken, component.OrphanWhen(true)) })
	require.EqualError(t, err, replaceID("failed to get resource <id>'s underlying object on orphan: boom", broken))

	w.intercept(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return boom
		},
	})
	unreadable := w.stub("one")
	err = w.reconcile(func(b *component.Builder) { b.WithResource(unreadable, component.OrphanWhen(true)) })
	require.EqualError(t, err, replaceID("failed to orphan resource <id>: boom", unreadable))
}
