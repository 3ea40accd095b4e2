package mutations_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations"
	"projection.sh/operator/primitives/golden"
	"projection.sh/operator/primitives/unstructured/static"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Every object of testdata/source has its copy in testdata/copy.
func TestCopiesAreTheGoldenOnes(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byProjection)
			in.Overlay = mutations.Overlay{
				Labels:      map[string]string{"tenant": "team"},
				Annotations: map[string]string{"example.com/copied-from": "source/" + source.GetName()},
			}
			baseline := placed(source, "team", source.GetName())
			copied, err := static.NewBuilder(baseline).WithMutation(mutations.ForDestination(in)...).Build()
			require.NoError(t, err)
			golden.AssertYAML(t, filepath.Join("testdata", "copy", name+".yaml"), copied, golden.Update(*update))
		})
	}
}

func TestNoGoldenFileIsLeftOver(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "copy"))
	require.NoError(t, err)
	assert.Len(t, files, len(sources(t)))
}
