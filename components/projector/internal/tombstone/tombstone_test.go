package tombstone_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector/internal/tombstone"
)

func TestTombstonesAreKeptForAsLongAsWritesMayBeLate(t *testing.T) {
	const ttl = 2 * time.Minute
	now := time.Now()
	list := tombstone.NewList(ttl, func() time.Time { return now })
	first := owner.Identity{Kind: owner.ClusterProjection, Name: "rule", UID: "u-1"}
	again := owner.Identity{Kind: owner.ClusterProjection, Name: "rule", UID: "u-2"}
	other := owner.Identity{Kind: owner.ClusterProjection, Name: "other", UID: "u-3"}
	secrets, configMaps := schema.GroupResource{Resource: "secrets"}, schema.GroupResource{Resource: "configmaps"}
	uids := func(rule string) []types.UID {
		var found []types.UID
		for _, tombstone := range list.Of(types.NamespacedName{Name: rule}) {
			found = append(found, tombstone.Rule)
		}
		return found
	}

	list.Add(first, secrets, types.NamespacedName{}, impersonate.Operator())
	now = now.Add(ttl / 2)
	list.Add(first, configMaps, types.NamespacedName{}, impersonate.Operator())
	list.Add(other, secrets, types.NamespacedName{}, impersonate.Operator())
	list.Add(again, secrets, types.NamespacedName{}, impersonate.Operator())
	assert.Equal(t, []types.UID{"u-1", "u-1", "u-2"}, uids("rule"))
	assert.Empty(t, uids("nobody"))

	now = now.Add(ttl / 2)
	assert.Equal(t, []types.UID{"u-1", "u-2"}, uids("rule"))
	assert.Equal(t, configMaps, list.Of(first.Key())[0].Resource)
	assert.Equal(t, []types.UID{"u-3"}, uids("other"))

	now = now.Add(ttl / 2)
	assert.Empty(t, uids("rule"))
	assert.Empty(t, uids("other"))
}
