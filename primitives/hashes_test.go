package primitives_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/secret"
)

// TestHashes fixes the hashes of some objects. They are in annotations of pod templates, so that another hash of the same
// content would restart workloads. The expected values are those of sha256sum for the JSON beside them.
func TestHashes(t *testing.T) {
	for name, test := range map[string]struct {
		of   func() (string, error)
		want string
	}{
		`{"data":{},"binaryData":{}}`: {
			func() (string, error) { return configmap.DataHash(corev1.ConfigMap{}) },
			"11e8ad7aa42bb8c842fe85ebd4ef52de117a33d0bdeb722f414fbc7a98c43660",
		},
		`{"data":{"a":"\u003c1\u003e","b":"2"},"binaryData":{"c":"AQI="}}`: {
			func() (string, error) {
				return configmap.DataHash(corev1.ConfigMap{Data: map[string]string{"b": "2", "a": "<1>"}, BinaryData: map[string][]byte{"c": {1, 2}}})
			},
			"722a9d2b02149a8b2f7eff7b7266c4dfeef05f87bbf3579c4051039be6de59e3",
		},
		`{}`: {func() (string, error) { return secret.DataHash(corev1.Secret{}) }, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},
		`{"a":"MQ==","b":"Mg=="}`: {
			func() (string, error) {
				return secret.DataHash(corev1.Secret{
					Data: map[string][]byte{"a": []byte("0"), "b": []byte("2")}, StringData: map[string]string{"a": "1"},
				})
			},
			"b8b6d9c85cc37db860f808ab6251044ae69d6f674f59bf645e0c09c1c315898d",
		},
	} {
		t.Run(name, func(t *testing.T) {
			hash, err := test.of()
			require.NoError(t, err)
			assert.Equal(t, test.want, hash)
		})
	}
}

func TestHashLeavesTheSecretAsItIs(t *testing.T) {
	object := corev1.Secret{Data: map[string][]byte{"a": []byte("0")}, StringData: map[string]string{"a": "1"}}
	before := object.DeepCopy()
	_, err := secret.DataHash(object)
	require.NoError(t, err)
	assert.Equal(t, *before, object)
}

func TestDesiredHash(t *testing.T) {
	config := &corev1.ConfigMap{}
	config.Name, config.Namespace = "name", "ns"
	set := configmap.Mutation{Name: "a", Mutate: func(m *configmap.Mutator) error { m.SetEntry("a", "1"); return nil }}
	resource, err := configmap.NewBuilder(config).WithMutation(set).Build()
	require.NoError(t, err)
	want, err := configmap.DataHash(corev1.ConfigMap{Data: map[string]string{"a": "1"}})
	require.NoError(t, err)
	hash, err := resource.DesiredHash()
	require.NoError(t, err)
	assert.Equal(t, want, hash)

	failing, err := configmap.NewBuilder(config).WithMutation(configmap.Mutation{Name: "a"}).Build()
	require.NoError(t, err)
	_, err = failing.DesiredHash()
	require.EqualError(t, err, "configmap v1/ConfigMap/ns/name: failed to compute desired hash: "+
		"failed to apply mutation intent for a: mutation handler of a is nil")

	credentials := &corev1.Secret{}
	credentials.Name, credentials.Namespace = "name", "ns"
	broken, err := secret.NewBuilder(credentials).WithMutation(secret.Mutation{Name: "a"}).Build()
	require.NoError(t, err)
	_, err = broken.DesiredHash()
	require.ErrorContains(t, err, "secret v1/Secret/ns/name: failed to compute desired hash: ")
}
