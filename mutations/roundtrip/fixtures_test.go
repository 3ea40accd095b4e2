package roundtrip_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// fixture is the content of one file.
type fixture struct {
	setup   []*uns.Unstructured
	sources []*uns.Unstructured
}

// fileOf names the file that holds the fixture of a kind.
func fileOf(kind schema.GroupKind) string {
	return filepath.Join("testdata", strings.TrimSuffix(strings.ToLower(kind.String()), ".")+".yaml")
}

// load returns the fixture of a kind, or nil if there is none.
func load(t *testing.T, kind schema.GroupKind) *fixture {
	t.Helper()
	content, err := os.ReadFile(fileOf(kind))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	loaded := &fixture{}
	for _, obj := range parse(t, content) {
		if obj.GroupVersionKind().GroupKind() == kind {
			loaded.sources = append(loaded.sources, obj)
		} else {
			loaded.setup = append(loaded.setup, obj)
		}
	}
	require.NotEmpty(t, loaded.sources, "%s holds no object of its kind", fileOf(kind))
	return loaded
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
