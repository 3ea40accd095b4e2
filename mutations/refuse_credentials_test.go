package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/mutations"
)

func TestRefuseCredentials(t *testing.T) {
	for name, test := range map[string]struct {
		apiVersion, kind, secretType string
		refused                      bool
	}{
		"a token of a ServiceAccount": {"v1", "Secret", mutations.TypeServiceAccountToken, true},
		"a bootstrap token":           {"v1", "Secret", "bootstrap.kubernetes.io/token", true},
		"a pull secret":               {"v1", "Secret", "kubernetes.io/dockerconfigjson", false},
		"a Secret without a type":     {"v1", "Secret", "", false},
		"a ConfigMap of that type":    {"v1", "ConfigMap", mutations.TypeServiceAccountToken, false},
		"a Secret of another group":   {"example.com/v1", "Secret", mutations.TypeServiceAccountToken, false},
	} {
		t.Run(name, func(t *testing.T) {
			source := &uns.Unstructured{Object: map[string]any{"apiVersion": test.apiVersion, "kind": test.kind, "type": test.secretType}}
			assert.Equal(t, test.refused, mutations.IsCredential(source))
			_, err := render(inputFor(source, byProjection), source)
			if !test.refused {
				require.NoError(t, err)
				return
			}
			var refused *mutations.SourceError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, "a Secret of type "+test.secretType+" is a credential of its namespace, and is never copied", refused.Message)
		})
	}
}

// A ConfigMap has no type, and one that claims to have one becomes an ordinary Secret.
func TestConvertedSecretIsNoCredential(t *testing.T) {
	source := &uns.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "type": mutations.TypeServiceAccountToken}}
	in := inputFor(source, byProjection)
	in.CopyKind = "Secret"
	assert.Equal(t, "Opaque", mustRender(t, in, source).Object["type"])
}
