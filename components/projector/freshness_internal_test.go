package projector

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestLagOfTheCache(t *testing.T) {
	a, b := types.NamespacedName{Name: "a"}, types.NamespacedName{Name: "b"}
	tests := map[string]struct {
		cached versions
		lag    string
	}{
		"in step":                   {versions{a: "7", b: "12"}, ""},
		"ahead":                     {versions{a: "101", b: "12"}, ""},
		"one is younger than all":   {versions{a: "7", b: "12", {Name: "c"}: "101"}, ""},
		"one is missing":            {versions{a: "7"}, "the cache lacks 1 objects"},
		"one is old":                {versions{a: "7", b: "9"}, "the cache holds an old version of /b"},
		"one has gone meanwhile":    {versions{a: "7", b: "12", {Name: "c"}: "99"}, "the cache holds an old version of /c"},
		"nothing can be told of it": {versions{a: "x", b: "12"}, "resource version is not well formed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cached := &metav1.PartialObjectMetadataList{}
			for key, version := range test.cached {
				cached.Items = append(cached.Items, metav1.PartialObjectMetadata{
					ObjectMeta: metav1.ObjectMeta{Name: key.Name, ResourceVersion: version},
				})
			}
			err := staleness(cached, versions{a: "7", b: "12"}, "100")
			if test.lag == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.lag)
		})
	}
}
