package main

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBillNamesEveryModule(t *testing.T) {
	info, err := debug.ParseBuildInfo("path\texample.com/tool/cmd\nmod\texample.com/tool\t(devel)\t\n" +
		"dep\texample.com/one\tv1.0.0\th1:first=\ndep\texample.com/two\tv2.0.0\n=>\texample.com/fork\tv2.0.1\th1:second=\n")
	require.NoError(t, err)
	info.GoVersion = "go1.26.8"
	bill := billOf(info, "v1.2.3")
	assert.Equal(t, "pkg:golang/example.com/tool@v1.2.3", bill.Metadata.Component.Package)
	assert.Equal(t, []component{
		{Type: "library", Ref: "pkg:golang/std@1.26.8", Name: "std", Version: "1.26.8", Package: "pkg:golang/std@1.26.8"},
		{
			Type: "library", Ref: "pkg:golang/example.com/one@v1.0.0", Name: "example.com/one", Version: "v1.0.0",
			Package: "pkg:golang/example.com/one@v1.0.0", Properties: []property{{"go:sum", "h1:first="}},
		},
		{
			Type: "library", Ref: "pkg:golang/example.com/fork@v2.0.1", Name: "example.com/fork", Version: "v2.0.1",
			Package: "pkg:golang/example.com/fork@v2.0.1", Properties: []property{{"go:sum", "h1:second="}},
		},
	}, bill.Components)
}

func TestSameProgramGivesTheSameBytes(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	var written, again bytes.Buffer
	require.NoError(t, write(&written, self, "v1.2.3"))
	require.NoError(t, write(&again, self, "v1.2.3"))
	assert.Equal(t, written.String(), again.String())
	var bill map[string]any
	require.NoError(t, json.Unmarshal(written.Bytes(), &bill))
	assert.Equal(t, "CycloneDX", bill["bomFormat"])
	assert.Equal(t, "1.6", bill["specVersion"])
}

func TestWhatIsNoProgramHasNoBill(t *testing.T) {
	require.ErrorContains(t, write(&bytes.Buffer{}, "main.go", "v1"), "read what main.go is made of")
	require.Error(t, write(&bytes.Buffer{}, "nothing", "v1"))
}
