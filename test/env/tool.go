package env

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Tool returns the path of a program that test/tools pins, building it if needed.
func Tool(name string) (string, error) {
	done, err := lock(filepath.Join(os.TempDir(), fmt.Sprintf("projection-tool-%d-%s.lock", os.Getuid(), name)))
	if err != nil {
		return "", err
	}
	defer done()
	program := filepath.Join("bin", name)
	build := exec.Command("make", "--no-print-directory", "-C", Root(), program)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build %s: %w", program, err)
	}
	return filepath.Join(Root(), program), nil
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
