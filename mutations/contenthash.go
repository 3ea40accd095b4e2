package mutations

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/primitives/unstructured"
)

// hashLength is that of the annotation's value, in hexadecimal digits: 128 bits.
const hashLength = 32

// ContentHash returns the hash that stamp-content-hash left on a rendered or read copy, or "" if there is none.
//
// Equal hashes mean that the same content was rendered: name, labels and annotations included, the namespace excluded,
// so that the copies of one fan-out share one hash. It tells nothing about later changes of the copy by others.
func ContentHash(obj *uns.Unstructured) string {
	return text(child(obj.Object, metadataField, annotationsField), v1.AnnotationContentHash)
}

// stampContentHash annotates the copy with the hash of everything else that is applied.
func stampContentHash() unstructured.Mutation {
	return mutation(StampContentHash, nil, func(content map[string]any) error {
		hash, err := hashOf(content)
		if err != nil {
			return err
		}
		return uns.SetNestedField(content, hash, metadataField, annotationsField, v1.AnnotationContentHash)
	})
}

// hashOf relies on encoding/json, which sorts the keys of maps.
func hashOf(content map[string]any) (string, error) {
	metadata := maps.Clone(child(content, metadataField))
	delete(metadata, "namespace")
	if annotations := maps.Clone(child(metadata, annotationsField)); annotations != nil {
		metadata[annotationsField] = annotations
		removeEntries(metadata, annotationsField, func(key, _ string) bool { return key == v1.AnnotationContentHash })
	}
	hashed := maps.Clone(content)
	hashed[metadataField] = metadata
	canonical, err := json.Marshal(hashed)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])[:hashLength], nil
}
