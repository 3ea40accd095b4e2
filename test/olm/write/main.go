// The program writes the OLM bundle of a checkout: go run ./test/olm/write . deploy/olm
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"projection.sh/operator/test/olm"
)

func main() {
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write replaces the bundle in the directory.
func write(top, dir string) error {
	files, err := olm.Generate(top)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for path, content := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
