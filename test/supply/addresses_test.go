package supply_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreign is an address below the API group's name. The group needs no such host, and others answer for some of them.
var foreign = regexp.MustCompile(`(https?|oci)://([a-z0-9-]+\.)*projection\.sh\b[^\s"'` + "`" + `)]*|[\w.+-]+@([a-z0-9-]+\.)*projection\.sh\b`)

// Links lead into the repository: nobody has to keep a host for them, and nobody else can.
func TestNoLinkDependsOnTheDomainOfTheAPIGroup(t *testing.T) {
	require.Regexp(t, foreign, "see https://docs.projection.sh/x")
	require.NotRegexp(t, foreign, "projection.sh/projectable")
	looked := 0
	require.NoError(t, filepath.WalkDir(fromTop("."), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin" || entry.Name() == "dist"):
			return fs.SkipDir
		case !entry.Type().IsRegular() || filepath.Base(path) == "addresses_test.go":
			return nil
		}
		looked++
		for _, link := range foreign.FindAllString(string(read(t, path)), -1) {
			assert.Failf(t, "a link depends on somebody's host", "%s: %s", path, link)
		}
		return nil
	}))
	assert.Positive(t, looked)
}
