package mutations

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"

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

// TargetHash returns the content hash of a copy with these values, where each target has other values. The template is the content hash of
// the copies without them, so that no copy has to be rendered to know its hash.
func TargetHash(template string, values []FieldValue) (string, error) {
	hashed := make([]any, 0, 1+2*len(values))
	hashed = append(hashed, template)
	for _, value := range values {
		hashed = append(hashed, value.Path, value.Value)
	}
	hash, err := hashOfJSON(hashed)
	if IsMerged(template) {
		hash += mergedSuffix
	}
	return hash, err
}

// mergedSuffix ends the content hash of a copy that names its layers. So one whose names somebody has removed is told from one that never had layers.
const mergedSuffix = "-m"

// IsMerged reports whether the content hash is that of a copy that names its layers.
func IsMerged(hash string) bool { return strings.HasSuffix(hash, mergedSuffix) }

// stampContentHash annotates the copy with its content hash: the one that is known, or else the hash of everything else that is applied.
func stampContentHash(in Input) unstructured.Mutation {
	return mutation(StampContentHash, nil, func(content map[string]any) (err error) {
		hash := in.ContentHash
		if hash == "" {
			if hash, err = hashOf(content); err != nil {
				return err
			}
			if in.Merge.Named || len(in.Merge.Layers) > 0 {
				hash += mergedSuffix
			}
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
	return hashOfJSON(hashed)
}

func hashOfJSON(value any) (string, error) {
	canonical, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])[:hashLength], nil
}
