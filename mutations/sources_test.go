package mutations_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/mutations"
)

// sources returns the objects of testdata/source by the names of their files: objects as Kubernetes 1.36 returned them
// after its controllers had been at work.
func sources(t testing.TB) map[string]*uns.Unstructured {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "source", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := make(map[string]*uns.Unstructured, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		found[name] = &uns.Unstructured{Object: content(t, string(text))}
	}
	return found
}

// placed returns a copy of the source under the coordinates of a target.
func placed(source *uns.Unstructured, namespace, name string) *uns.Unstructured {
	baseline := source.DeepCopy()
	baseline.SetNamespace(namespace)
	baseline.SetName(name)
	return baseline
}

func inputFor(source *uns.Unstructured, stamp mutations.Stamp) mutations.Input {
	return mutations.Input{Kind: source.GroupVersionKind().GroupKind(), Stamp: stamp, ServerVersion: "v1.36.3"}
}
