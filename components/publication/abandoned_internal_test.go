package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAbandonedClustersAreThoseThatTheAnnotationNames(t *testing.T) {
	for list, names := range map[string][]string{
		"":              nil,
		" , ":           nil,
		"eu-1":          {"eu-1"},
		" eu-1 ,,us-1,": {"eu-1", "us-1"},
	} {
		p := &publication{offer: &offer{}}
		p.setAbandoned(list)
		assert.Equal(t, names, p.abandoned, "%q", list)
		assert.False(t, p.isServiceAbandoned(p.offer), "the cluster of the operator has no name, and nobody gives it up")
	}
}
