package app_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/configmap"
	"projection.sh/operator/primitives/secret"
)

// TestHashesStay compares with fixed strings: another hash would restart the pods of every app when the operator is updated.
func TestHashesStay(t *testing.T) {
	for want, object := range map[string]corev1.ConfigMap{
		"b1809768b17572510606bbf0758ad5112ee10549ce11cb58c05c0ecf7c52abdb": {Data: map[string]string{"theme": "dark"}},
		"49029106a67ad3c76e75801a772a54c8304a794b2d44c431ca21f6994bea6d14": {BinaryData: map[string][]byte{"logo": {0, 1}}},
	} {
		hash, err := configmap.DataHash(object)
		require.NoError(t, err)
		assert.Equal(t, want, hash)
	}
	for want, object := range map[string]corev1.Secret{
		"3168c327c44422aaa1a3fa64f073e915f5e295ac1fd04e7d03d7666ea4dbe54e": {Data: map[string][]byte{"password": []byte("secret")}},
		"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a": {},
	} {
		hash, err := secret.DataHash(object)
		require.NoError(t, err)
		assert.Equal(t, want, hash)
	}
}
