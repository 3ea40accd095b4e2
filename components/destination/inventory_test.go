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

func ignore(watch.RuleKey, watch.Trigger, time.Time) {}

func (w *fixture) key() watch.RuleKey {
	return watch.RuleKey{Kind: owner.Projection.Name, NamespacedName: w.set.Owner.Key()}
}

func TestInventoryKnowsTheCopiesOnceItIsHeld(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	inventory := destination.NewInventory(t.Context(), owner.Projection, metadata.NewForConfigOrDie(cluster.Config), ignore)

	caches, err := inventory.Watch(t.Context(), w.key(), secrets, configMaps)
	require.NoError(t, err)
	require.Len(t, caches, 2)
	assert.Empty(t, caches[0].ByOwner(w.set.Owner.Key()))
	owned := caches[1].ByOwner(w.set.Owner.Key())
	require.Len(t, owned, 1)
	assert.Equal(t, w.at(), owned[0].NamespacedName)
	assert.Equal(t, w.get().GetUID(), owned[0].UID)
	assert.Equal(t, w.get().GetResourceVersion(), owned[0].ResourceVersion)

	again, err := inventory.Watch(t.Context(), w.key(), configMaps)
	require.NoError(t, err)
	assert.Same(t, caches[1], again[0])
	inventory.Release(w.key())
	anew, err := inventory.Watch(t.Context(), w.key(), configMaps)
	require.NoError(t, err)
	assert.NotSame(t, caches[1], anew[0], "nobody held it")
}

func TestInventoryOfTheOtherKindOfRuleIsEmpty(t *testing.T) {
	w := newFixture(t, configMaps)
	w.apply(settings("red"))
	inventory := destination.NewInventory(t.Context(), owner.ClusterProjection, metadata.NewForConfigOrDie(cluster.Config), ignore)
	caches, err := inventory.Watch(t.Context(), w.key(), configMaps)
	require.NoError(t, err)
	assert.Empty(t, caches[0].ByOwner(w.set.Owner.Key()))
}

func TestInventoryOfWhatMayNotBeListed(t *testing.T) {
	w := newFixture(t, configMaps)
	nobody, err := cluster.ConfigFor("nobody")
	require.NoError(t, err)
	inventory := destination.NewInventory(t.Context(), owner.Projection, metadata.NewForConfigOrDie(nobody), ignore)
	_, err = inventory.Watch(t.Context(), w.key(), configMaps, secrets)
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}
