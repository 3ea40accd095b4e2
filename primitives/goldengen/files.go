package goldengen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"projection.sh/operator/primitives/golden"
)

// compare writes the file, or returns a golden.MismatchError if its content differs.
func compare(path string, content []byte, update bool) error {
	if !update {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("golden %s does not exist; run with -update", path)
		}
	}
	return golden.CompareBytes(path, content, golden.Update(update))
}

// dropStale removes the YAML files of a folder that are not owned, or returns them as an error.
func dropStale(folder string, owned map[string]bool, update bool) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // as long as nothing was written
	}
	if err != nil {
		return err
	}
	var stale []error
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.IsDir() || filepath.Ext(path) != ".yaml" || owned[path]:
		case update:
			stale = append(stale, os.Remove(path))
		default:
			stale = append(stale, fmt.Errorf("golden %s belongs to no regime; run with -update to remove it", path))
		}
	}
	return errors.Join(stale...)
}
