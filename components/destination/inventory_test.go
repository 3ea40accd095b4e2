package destination_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

func deaf(watch.Rule, watch.Cause, time.Time) {}

func (w *workshop) waker() watch.Rule {
	return watch.Rule{Kind: owner.Namespaced.Kind, NamespacedName: w.desk.Owner.Key()}
}

func TestInventoryKnowsTheCopiesOnceItIsHeld(t *testing.T) {
	w := newWorkshop(t, configMaps)
	w.apply(settings("red"))
	inventory := destination.NewInventory(t.Context(), owner.Namespaced, metadata.NewForConfigOrDie(cluster.Config), deaf)

	ledgers, err := inventory.Hold(t.Context(), w.waker(), secrets, configMaps)
	require.NoError(t, err)
	require.Len(t, ledgers, 2)
	assert.Empty(t, ledgers[0].Owned(w.desk.Owner.Key()))
	owned := ledgers[1].Owned(w.desk.Owner.Key())
	require.Len(t, owned, 1)
	assert.Equal(t, w.at(), owned[0].NamespacedName)
	assert.Equal(t, w.get().GetUID(), owned[0].UID)
	assert.Equal(t, w.get().GetResourceVersion(), owned[0].ResourceVersion)

	again, err := inventory.Hold(t.Context(), w.waker(), configMaps)
	require.NoError(t, err)
	assert.Same(t, ledgers[1], again[0])
	inventory.Release(w.waker())
	anew, err := inventory.Hold(t.Context(), w.waker(), configMaps)
	require.NoError(t, err)
	assert.NotSame(t, ledgers[1], anew[0], "nobody held it")
}

func TestInventoryOfTheOtherTierKnowsNothing(t *testing.T) {
	w := newWorkshop(t, configMaps)
	w.apply(settings("red"))
	inventory := destination.NewInventory(t.Context(), owner.Cluster, metadata.NewForConfigOrDie(cluster.Config), deaf)
	ledgers, err := inventory.Hold(t.Context(), w.waker(), configMaps)
	require.NoError(t, err)
	assert.Empty(t, ledgers[0].Owned(w.desk.Owner.Key()))
	assert.Empty(t, ledgers[0].HandedOver(w.rule.UID))
}

func TestInventoryOfWhatMayNotBeListed(t *testing.T) {
	w := newWorkshop(t, configMaps)
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	inventory := destination.NewInventory(t.Context(), owner.Namespaced, metadata.NewForConfigOrDie(nobody), deaf)
	_, err = inventory.Hold(t.Context(), w.waker(), configMaps, secrets)
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}
