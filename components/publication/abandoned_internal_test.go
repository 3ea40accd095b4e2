package publication

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/api/v1alpha1"
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
		unreachable := &problem{reason: v1alpha1.ReasonUnreachable}
		assert.False(t, p.isOver(unreachable), "the cluster of the operator has no name, and nobody gives it up")
	}
}
