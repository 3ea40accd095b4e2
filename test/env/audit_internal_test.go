package env

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event is a line of the audit log.
func event(uri string) string {
	return `{"stage":"ResponseComplete","verb":"get","user":{"username":"somebody"},"requestURI":"` + uri + `"}` + "\n"
}

// TestMarkWithinALine sets marks while the API server writes a line: its request was answered before.
func TestMarkWithinALine(t *testing.T) {
	environment := &Environment{dir: t.TempDir()}
	first, second := event("/first"), event("/second")
	for name, written := range map[string]string{"nothing": "", "a part": first[:20], "all but the end": strings.TrimSuffix(first, "\n"), "all": first} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(environment.auditLog(), []byte(written), 0o600))
			mark, err := environment.AuditMark()
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(environment.auditLog(), []byte(first+second), 0o600))
			requests, err := environment.RequestsSince(mark, "somebody")
			require.NoError(t, err)
			require.NotEmpty(t, requests)
			assert.Equal(t, "/second", requests[len(requests)-1].URI)
			assert.Equal(t, written != "", len(requests) == 1)
		})
	}
}
