package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/policy"
)

func TestParseMode(t *testing.T) {
	for _, mode := range []policy.Mode{policy.Allowlist, policy.Permissive} {
		parsed, err := policy.ParseMode(string(mode))
		require.NoError(t, err)
		assert.Equal(t, mode, parsed)
	}
	for _, name := range []string{"", "Allowlist", "allow-list", " permissive", "all"} {
		parsed, err := policy.ParseMode(name)
		require.Error(t, err, "%q", name)
		assert.Empty(t, parsed)
	}
}

func TestParseModeSaysWhatToWrite(t *testing.T) {
	_, err := policy.ParseMode("everything")
	assert.EqualError(t, err, `"everything" is no source mode; write "allowlist" or "permissive"`)
}
