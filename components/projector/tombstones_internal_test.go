package projector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
)

func TestPartingsAreRememberedForAsLongAsWritesMayBeLate(t *testing.T) {
	now := time.Now()
	past := newTombstones(func() time.Time { return now })
	first := owner.Identity{Kind: owner.ClusterProjection, Name: "rule", UID: "u-1"}
	again := owner.Identity{Kind: owner.ClusterProjection, Name: "rule", UID: "u-2"}
	other := owner.Identity{Kind: owner.ClusterProjection, Name: "other", UID: "u-3"}
	secrets, configMaps := schema.GroupResource{Resource: "secrets"}, schema.GroupResource{Resource: "configmaps"}
	uids := func(rule string) []types.UID {
		var found []types.UID
		for _, parting := range past.of(types.NamespacedName{Name: rule}) {
			found = append(found, parting.rule)
		}
		return found
	}

	past.note(first, secrets, types.NamespacedName{})
	now = now.Add(destination.LateWrites / 2)
	past.note(first, configMaps, types.NamespacedName{})
	past.note(other, secrets, types.NamespacedName{})
	past.note(again, secrets, types.NamespacedName{})
	assert.Equal(t, []types.UID{"u-1", "u-1", "u-2"}, uids("rule"))
	assert.Empty(t, uids("nobody"))

	now = now.Add(destination.LateWrites / 2)
	assert.Equal(t, []types.UID{"u-1", "u-2"}, uids("rule"))
	assert.Equal(t, configMaps, past.of(first.Key())[0].resource)
	assert.Equal(t, []types.UID{"u-3"}, uids("other"))

	now = now.Add(destination.LateWrites / 2)
	assert.Empty(t, uids("rule"))
	assert.Empty(t, past.rules, "nothing is kept")
	assert.Empty(t, past.order)
}
