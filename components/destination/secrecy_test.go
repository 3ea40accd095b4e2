package destination_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/destination"
)

// canary stands for what is secret.
const canary = "c4n4ry"

// TestNothingSecretIsQuoted lets the API server refuse Secrets for all that it looks at.
func TestNothingSecretIsQuoted(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	secret := func(rest string) string {
		return `{apiVersion: v1, kind: Secret, metadata: {name: settings, namespace: home}, ` + rest + `}`
	}
	tests := map[string]struct{ before, after string }{
		"the type is immutable": {
			secret(`type: example.com/one, data: {key: ` + encoded + `}`),
			secret(`type: example.com/` + canary + `, data: {key: ` + encoded + `}`),
		},
		"the content is immutable": {
			secret(`immutable: true, data: {key: eA==}`),
			secret(`immutable: true, data: {key: ` + encoded + `}`),
		},
		"a key of the type is missing": {
			"", secret(`type: kubernetes.io/tls, data: {` + canary + `: ` + encoded + `}`),
		},
		"the content is no registry's": {
			"", secret(`type: kubernetes.io/dockerconfigjson, data: {.dockerconfigjson: ` + encoded + `}`),
		},
		"the content is not encoded": {
			"", secret(`data: {key: "` + canary + `!"}`),
		},
		"the content is no text": {
			"", secret(`data: {key: {` + canary + `: ` + canary + `}}`),
		},
		"the content is too large": {
			"", secret(`data: {key: ` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(canary, 200_000))) + `}`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, secrets)
			if test.before != "" {
				require.False(t, w.apply(test.before).Failed())
			}
			outcome := w.apply(test.after)
			require.True(t, outcome.Failed(), "the API server accepts it")
			requireDiscreet(t, outcome, canary, encoded)
		})
	}
}

func requireDiscreet(t *testing.T, outcome destination.Outcome, values ...string) {
	t.Helper()
	require.Error(t, outcome.Err)
	for _, value := range values {
		for _, told := range []string{outcome.Message, outcome.Err.Error(), fmt.Sprintf("%+v", outcome.Err), fmt.Sprintf("%v", outcome)} {
			assert.NotContains(t, told, value)
		}
	}
	assert.NotEmpty(t, outcome.Message)
	assert.NotContains(t, outcome.Message, "\n")
}
