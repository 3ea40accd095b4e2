package freshness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestStalenessOfTheCache(t *testing.T) {
	a, b := types.NamespacedName{Name: "a"}, types.NamespacedName{Name: "b"}
	tests := map[string]struct {
		cached map[types.NamespacedName]string
		stale  string
	}{
		"in sync":                 {map[types.NamespacedName]string{a: "7", b: "12"}, ""},
		"ahead":                   {map[types.NamespacedName]string{a: "101", b: "12"}, ""},
		"one is younger than all": {map[types.NamespacedName]string{a: "7", b: "12", {Name: "c"}: "101"}, ""},
		"one is missing":          {map[types.NamespacedName]string{a: "7"}, "the cache lacks 1 objects"},
		"one is old":              {map[types.NamespacedName]string{a: "7", b: "9"}, "the cache holds an old version of /b"},
		"one has gone meanwhile":  {map[types.NamespacedName]string{a: "7", b: "12", {Name: "c"}: "99"}, "the cache holds an old version of /c"},
		"not comparable":          {map[types.NamespacedName]string{a: "x", b: "12"}, "resource version is not well formed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cached := &metav1.PartialObjectMetadataList{}
			for key, version := range test.cached {
				cached.Items = append(cached.Items, metav1.PartialObjectMetadata{
					ObjectMeta: metav1.ObjectMeta{Name: key.Name, ResourceVersion: version},
				})
			}
			err := snapshot{objects: map[types.NamespacedName]string{a: "7", b: "12"}, resourceVersion: "100"}.staleness(cached)
			if test.stale == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.stale)
		})
	}
}
