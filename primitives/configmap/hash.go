package configmap

import (
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/internal/datahash"
)

// content is what the hash of a ConfigMap is about, as it is written to be hashed.
type content struct {
	Data       map[string]string `json:"data"`
	BinaryData map[string][]byte `json:"binaryData"`
}

// DataHash returns a hash of data and binaryData.
func DataHash(object corev1.ConfigMap) (string, error) {
	return datahash.Of("configmap", &object, content{
		Data: datahash.OrEmpty(object.Data), BinaryData: datahash.OrEmpty(object.BinaryData),
	})
}
