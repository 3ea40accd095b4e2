package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"projection.sh/operator/test/env"
)

// inGoFile objects to a block that no Go file of this tree has. Its indentation does not matter.
func inGoFile(block string) error {
	wanted, found := flat(block), false
	err := filepath.WalkDir(env.Root(), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case found:
			return fs.SkipAll
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != env.Root():
			return fs.SkipDir
		case filepath.Ext(path) != ".go":
			return nil
		}
		content, err := os.ReadFile(path)
		found = strings.Contains(flat(string(content)), wanted)
		return err
	})
	if err == nil && !found {
		err = errors.New("no Go file of this tree has this block")
	}
	return err
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
