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

// dropStale removes the YAML files of a folder that are not owned, or returns them as an error. The error says that they belong to no
// regime, or no fixture: to none of what.
func dropStale(folder string, owned map[string]bool, what string, update bool) error {
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
			stale = append(stale, fmt.Errorf("golden %s belongs to no %s; run with -update to remove it", path, what))
		}
	}
	return errors.Join(stale...)
}

// dropRemoved does so in the folders of fixtures that the former manifest lists and the present one does not.
func dropRemoved(dir string, former, present Manifest, update bool) error {
	folders := map[string]bool{}
	for _, fixture := range present.Fixtures {
		folders[filepath.Join(dir, fixture.Name)] = true
	}
	var stale []error
	for _, fixture := range former.Fixtures {
		folder := filepath.Join(dir, fixture.Name)
		if folders[folder] || !isFolder(fixture.Name) {
			continue
		}
		stale = append(stale, dropStale(folder, nil, "fixture", update))
		if entries, err := os.ReadDir(folder); update && err == nil && len(entries) == 0 {
			stale = append(stale, os.Remove(folder))
		}
	}
	return errors.Join(stale...)
}

// isFolder reports whether the name is that of a folder below another one.
func isFolder(name string) bool { return filepath.IsLocal(name) && filepath.Clean(name) != "." }
