package watch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/watch"
)

func TestNewerVersions(t *testing.T) {
	tests := []struct {
		version, known string
		newer          bool
	}{
		{"10", "", true},
		{"11", "10", true},
		{"10", "10", false},
		{"9", "10", false},
		{"100", "99", true},
		{"99", "100", false},
		{"123456789012345678901234567891", "123456789012345678901234567890", true},
		{"b", "a", true}, {"a", "b", true}, {"a", "a", false}, // an order that we do not know
		{"10", "a", true}, {"a", "10", true},
	}
	for _, test := range tests {
		assert.Equal(t, test.newer, watch.IsNewer(test.version, test.known), "%s after %s", test.version, test.known)
	}
}
