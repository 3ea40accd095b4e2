package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func TestOpenersOfSystems(t *testing.T) {
	assert.Equal(t, []string{"open"}, openerOn("darwin"))
	assert.Equal(t, "rundll32", openerOn("windows")[0])
	assert.Equal(t, []string{"xdg-open"}, openerOn("linux"))
	assert.Equal(t, []string{"xdg-open"}, openerOn("freebsd"))
}

func TestAddressIsOpened(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	file := filepath.Join(dir, "opened")
	opener := filepath.Join(dir, openerOn("linux")[0])
	require.NoError(t, os.WriteFile(opener, []byte("#!/bin/sh\nprintf %s \"$1\" > "+file+"\n"), 0o700))
	o := &options{IOStreams: genericiooptions.IOStreams{ErrOut: io.Discard}}
	o.open(t.Context(), "http://127.0.0.1:1/?token=a&b")
	require.Eventually(t, func() bool {
		opened, err := os.ReadFile(file)
		return err == nil && string(opened) == "http://127.0.0.1:1/?token=a&b"
	}, 20*time.Second, 10*time.Millisecond)
}

func TestBrowserThatCannotBeOpened(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	read, write := io.Pipe()
	o := &options{IOStreams: genericiooptions.IOStreams{ErrOut: write}}
	o.open(t.Context(), "http://127.0.0.1:1/")
	said := make([]byte, 1<<10)
	n, err := read.Read(said)
	require.NoError(t, err)
	assert.True(t, bytes.HasSuffix(said[:n], []byte("open the address.\n")), string(said[:n]))
}
