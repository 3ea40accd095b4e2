package e2e_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	_ "projection.sh/operator/cmd/manager/app" // so that go test knows on what these tests depend
	"projection.sh/operator/test/env"
)

var (
	cluster *env.Environment
	// manager is the path of the operator's program.
	manager string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if manager, err = env.Manager(); err != nil {
		return complain(err)
	}
	if err := readChart(); err != nil {
		return complain(err)
	}
	return env.Main(m, &cluster, env.WithControllerManager())
}

// readChart reads what helm will read, so that go test runs these tests again after a change of the chart.
func readChart() error {
	return filepath.WalkDir(env.Chart(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		_, err = os.ReadFile(path)
		return err
	})
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "The tests cannot begin:", err)
	return 1
}
