package roundtrip_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// fileOf names the file that holds the fixture of a kind.
func fileOf(kind schema.GroupKind) string {
	return filepath.Join("testdata", strings.TrimSuffix(strings.ToLower(kind.String()), ".")+".yaml")
}

// load returns the objects of a kind.
func load(t *testing.T, kind schema.GroupKind) []*uns.Unstructured {
	t.Helper()
	content, err := os.ReadFile(fileOf(kind))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	return slices.DeleteFunc(parse(t, content), func(obj *uns.Unstructured) bool {
		return obj.GroupVersionKind().GroupKind() != kind
	})
}

func parse(t *testing.T, content []byte) []*uns.Unstructured {
	t.Helper()
	var objects []*uns.Unstructured
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		obj := &uns.Unstructured{}
		err := documents.Decode(obj)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		objects = append(objects, obj)
	}
}
