package env

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Tool returns the path of a program that test/tools pins, building it if needed.
func Tool(name string) (string, error) { return made(name, filepath.Join("bin", name)) }

// Manager returns the path of the operator's program as it is shipped, building it if needed.
func Manager() (string, error) { return made("manager", "build") }

// Plugin returns the path of the plugin of kubectl, building it if needed.
func Plugin() (string, error) { return made("kubectl-projection", "build-plugin") }

// made returns the path of a program in bin that a target of the Makefile makes.
func made(name, target string) (string, error) {
	done, err := lock(filepath.Join(os.TempDir(), fmt.Sprintf("projection-tool-%d-%s.lock", os.Getuid(), name)))
	if err != nil {
		return "", err
	}
	defer done()
	build := exec.Command("make", "--no-print-directory", "-C", Root(), target)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("make %s: %w", target, err)
	}
	return filepath.Join(Root(), "bin", name), nil
}

// lock waits until no other process holds the file, so that packages that are tested at once build a program once.
func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = file.Close() }, nil // closing unlocks
}
