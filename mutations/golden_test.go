package mutations_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/mutations"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Every object of testdata/source has its copy in testdata/copy. -update writes them; read the difference before you
// commit it.
func TestCopiesAreTheGoldenOnes(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byProjection)
			in.Overlay = mutations.Overlay{
				Labels:      map[string]string{"tenant": "team"},
				Annotations: map[string]string{"example.com/copied-from": "source/" + source.GetName()},
			}
			rendered, err := yaml.Marshal(mustRender(t, in, placed(source, "team", source.GetName())).Object)
			require.NoError(t, err)
			golden := filepath.Join("testdata", "copy", name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, rendered, 0o644))
			}
			wanted, err := os.ReadFile(golden)
			require.NoError(t, err, "run with -update to write it")
			assert.Equal(t, string(wanted), string(rendered))
		})
	}
}

func TestNoGoldenFileIsLeftOver(t *testing.T) {
	known := sources(t)
	files, err := os.ReadDir(filepath.Join("testdata", "copy"))
	require.NoError(t, err)
	assert.Len(t, files, len(known))
}
