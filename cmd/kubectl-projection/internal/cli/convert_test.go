package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"projection.sh/operator/cmd/kubectl-projection/internal/cli"
)

const ofSyncAgent = "../convert/testdata/"

func TestConvert(t *testing.T) {
	golden(t, "convert",
		"convert -f "+ofSyncAgent+"least.yaml,testdata/elsewhere-changed.yaml --consumers=tier=prod,!internal --group=caches.example.com",
		"convert -f testdata/elsewhere-changed.yaml",
		"convert -f "+ofSyncAgent+"least.yaml --consumers===",
		"convert -f nothing.yaml",
		"convert",
	)
}

// TestWhatIsConvertedIsAccepted has an API server check what convert prints on its standard output.
func TestWhatIsConvertedIsAccepted(t *testing.T) {
	for _, name := range []string{"certificates", "legacy", "least"} {
		var out, said bytes.Buffer
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &said}
		require.Zero(t, cli.New("v0.1.0", streams).Run(t.Context(), []string{"convert", "-f", ofSyncAgent + name + ".yaml"}))
		assert.Equal(t, strings.Count(out.String(), "# NOT CONVERTED "), strings.Count(said.String(), ": not converted: "), "%s: %s", name, said.String())
		file := filepath.Join(t.TempDir(), name+".yaml")
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
		assert.Contains(t, kubectl(t, "create", "--dry-run=server", "--validate=strict", "-f", file), "created (server dry run)", name)
	}
}
