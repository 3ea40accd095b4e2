package secret

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/datahash"
)

// DataHash returns a hash of data with stringData over it, as the API server stores it.
func DataHash(object corev1.Secret) (string, error) {
	return datahash.Of("secret", &object, datahash.OrEmpty(effective(&object)))
}
