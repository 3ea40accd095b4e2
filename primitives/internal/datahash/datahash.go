// Package datahash hashes what ConfigMaps and Secrets contain.
package datahash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Of returns the SHA-256 of content as encoding/json writes it, in lower-case hexadecimal digits. The hash ends up in
// annotations of pod templates: another one for the same content would restart every workload that notes it.
func Of(kind string, object metav1.Object, content any) (string, error) {
	encoded, err := json.Marshal(content)
	if err != nil {
		return "", fmt.Errorf("%s %s/%s: failed to marshal data for hashing: %w", kind, object.GetNamespace(), object.GetName(), err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), nil
}

// OrEmpty returns an empty map in the place of nil, which would be written as null.
func OrEmpty[V any](entries map[string]V) map[string]V {
	if entries == nil {
		return map[string]V{}
	}
	return entries
}
