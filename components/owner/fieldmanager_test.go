package owner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/owner"
)

func TestFieldManagerCanBeRead(t *testing.T) {
	assert.Equal(t, "Projection/here/rule", tenant.FieldManager())
	assert.Equal(t, "ClusterProjection/rule", platform.FieldManager())
}

func TestFieldManagerOutlivesTheRule(t *testing.T) {
	for _, name := range []string{"rule", strings.Repeat("n", 253)} {
		before := owner.Identity{Kind: owner.Projection, Namespace: "here", Name: name, UID: "u-1"}
		after := before
		after.UID = types.UID("u-2")
		assert.Equal(t, before.FieldManager(), after.FieldManager())
	}
}

func TestFieldManagerFitsTheAPIServer(t *testing.T) {
	const limit, prefix = 128, len("Projection/here/")
	for length := limit - prefix - 1; length <= 253; length++ {
		name := strings.Repeat("n", length)
		rule := owner.Identity{Kind: owner.Projection, Namespace: "here", Name: name}
		manager := rule.FieldManager()
		switch whole := "Projection/here/" + name; {
		case len(whole) <= limit:
			assert.Equal(t, whole, manager, "a name of %d characters is not cut", length)
		default:
			assert.Len(t, manager, limit)
			assert.True(t, strings.HasPrefix(manager, "Projection/here/nnn"), "it can be read: %s", manager)
		}
	}
}

func TestFieldManagersOfDifferentRulesDiffer(t *testing.T) {
	long := strings.Repeat("n", 240)
	seen := map[string]string{}
	for _, tier := range tiers {
		for _, namespace := range []string{"", "here", strings.Repeat("h", 63)} {
			for _, name := range []string{"rule", "rules", long, long + "a", long + "b", "a" + long} {
				rule := owner.Identity{Kind: tier, Namespace: namespace, Name: name}
				who := fmt.Sprintf("%s %s", tier.Name, rule.Ref())
				assert.Empty(t, seen[rule.FieldManager()], "shared with %s", who)
				seen[rule.FieldManager()] = who
			}
		}
	}
}
