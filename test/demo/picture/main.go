// Picture records what a command prints, and draws it as an animated SVG for the README.
//
//	picture record make demo   runs the command at the top of the tree, and writes the recording, the drawing and its caption
//	picture draw               draws the recording again, after a change of how it is drawn
//
// The recording is an asciicast of version 2, as asciinema plays it. It names the commit that the command ran at, and so do the drawing and its
// caption. Times that the command prints are as measured; pauses are changed, so that one can read what is shown.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"projection.sh/operator/test/env"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) > 1 && args[0] == "record":
		return makePicture(ctx, args[1:])
	case len(args) == 1 && args[0] == "draw":
		recorded, err := readRecording(castFile())
		return errors.Join(err, publish(recorded))
	default:
		return errors.New("usage: picture record <command> ... | picture draw")
	}
}

func castFile() string    { return filepath.Join(env.Root(), "docs", "images", "demo.cast") }
func drawingFile() string { return filepath.Join(env.Root(), "docs", "images", "demo.svg") }
func readmeFile() string  { return filepath.Join(env.Root(), "README.md") }

func makePicture(ctx context.Context, command []string) error {
	commit, err := cleanCommit(ctx)
	if err != nil {
		return err
	}
	recorded, err := record(ctx, env.Root(), command)
	if err != nil {
		return err
	}
	recorded.Commit = commit
	if err := recorded.write(castFile()); err != nil {
		return err
	}
	return publish(recorded)
}

// cleanCommit returns the commit of the tree, and an error if the tree differs from it in more than pictures.
func cleanCommit(ctx context.Context) (string, error) {
	changes, err := git(ctx, "status", "--porcelain", "--", ".", ":!docs/images", ":!README.md")
	if err != nil {
		return "", err
	}
	if changes != "" {
		return "", fmt.Errorf("commit these files first, because the picture names the commit that it was made from:\n%s", changes)
	}
	return git(ctx, "rev-parse", "--short=12", "HEAD")
}

func git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stderr = env.Root(), os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// publish draws the recording, and changes the caption in the README.
func publish(recorded *recording) error {
	if recorded == nil {
		return nil
	}
	drawing, err := draw(recorded)
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(readmeFile())
	if err != nil {
		return err
	}
	readme, err = withCaption(readme, recorded.Commit)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(drawingFile(), drawing, 0o644), os.WriteFile(readmeFile(), readme, 0o644))
}
