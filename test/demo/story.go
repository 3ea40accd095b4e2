package main

import (
	"context"
	"fmt"
	"time"
)

// story is told by typing commands and by watching what they cause.
type story struct {
	shell shell
	seen  *observer
}

// tally counts what was checked, and what held.
type tally struct{ checks, passed int }

// check counts, and returns its argument.
func (t *tally) check(err error) error {
	t.checks++
	if err == nil {
		t.passed++
	}
	return err
}

func (t *tally) String() string { return fmt.Sprintf("demo: %d checks, %d passed", t.checks, t.passed) }

// tellStory goes through the steps. A step that does not hold ends it with an error.
func tellStory(ctx context.Context, checked *tally, p props, assets string, keep bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen, err := observe(ctx, p.KubeConfig)
	if err != nil {
		return err
	}
	s := &story{shell: newShell(p.KubeConfig, assets), seen: seen}
	steps := []func(context.Context) error{s.source, s.projection, s.edit, s.drift, s.deletedCopy, s.foreignObject, s.manyNamespaces}
	if !keep {
		steps = append(steps, s.end)
	}
	for _, step := range steps {
		if err := checked.check(step(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// types runs commands one after the other.
func (s *story) types(ctx context.Context, lines ...string) error {
	for _, line := range lines {
		if err := s.shell.run(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// tellDelay tells the time between two sightings. On a busy machine this process may wake up late and read both at once:
// then that is all that can be said.
func tellDelay(what string, cause, effect sighting) {
	took := effect.at.Sub(cause.at).Round(100 * time.Microsecond)
	if took < time.Millisecond {
		tell(what + " at once: one watch brought both changes within a millisecond.")
		return
	}
	tell(fmt.Sprintf("%s after %s (both changes seen by one watch).", what, took))
}
