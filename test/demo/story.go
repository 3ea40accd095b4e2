package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
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
	steps := []func(context.Context) error{s.source, s.projection, s.edit, s.deletedCopy, s.stranger}
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

func (s *story) source(ctx context.Context) error {
	heading("The source: settings of the platform team, which consents to their projection")
	return s.types(ctx,
		"kubectl apply -f config/samples/1-source.yaml",
		"kubectl -n platform get configmap app-config -o yaml",
	)
}

func (s *story) projection(ctx context.Context) error {
	heading("The rule: tenant-a wants a copy, under another name and with a label of its own")
	err := s.types(ctx,
		"cat config/samples/2-projection.yaml",
		"kubectl apply -f config/samples/2-projection.yaml",
		"kubectl -n tenant-a wait --for=condition=Ready projection/app-config --timeout=30s",
		"kubectl get projections -A",
	)
	if err != nil {
		return err
	}
	if _, err := s.seen.next(ctx, watch.Added, "tenant-a", "shared-config"); err != nil {
		return err
	}
	heading("The copy")
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config -o yaml")
}

func (s *story) edit(ctx context.Context) error {
	heading("The source is edited, and the copy follows")
	err := s.types(ctx, `kubectl -n platform patch configmap app-config --type=merge -p '{"data":{"log-level":"debug"}}'`)
	if err != nil {
		return err
	}
	edited, err := s.seen.next(ctx, watch.Modified, "platform", "app-config")
	if err != nil {
		return err
	}
	followed, err := s.seen.next(ctx, watch.Modified, "tenant-a", "shared-config")
	if err != nil {
		return err
	}
	if level := followed.object.Data["log-level"]; level != "debug" {
		return fmt.Errorf("the copy has log-level %q, not debug", level)
	}
	tellDelay("The copy followed", edited, followed)
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config -o jsonpath='{.data}'")
}

func (s *story) deletedCopy(ctx context.Context) error {
	heading("The copy is deleted, and comes back")
	if err := s.types(ctx, "kubectl -n tenant-a delete configmap shared-config"); err != nil {
		return err
	}
	deleted, err := s.seen.next(ctx, watch.Deleted, "tenant-a", "shared-config")
	if err != nil {
		return err
	}
	back, err := s.seen.next(ctx, watch.Added, "tenant-a", "shared-config")
	if err != nil {
		return err
	}
	tellDelay("The copy came back", deleted, back)
	return s.types(ctx, "kubectl -n tenant-a get configmap shared-config")
}

func (s *story) stranger(ctx context.Context) error {
	heading("A stranger is in the way of a second rule, and is left alone")
	if err := s.types(ctx, "kubectl apply -f config/samples/3-foreign-object.yaml"); err != nil {
		return err
	}
	const whole = "kubectl -n tenant-a get configmap handmade -o yaml --show-managed-fields"
	before, err := s.shell.ask(ctx, whole)
	if err != nil {
		return err
	}
	const written = `.status.conditions[?(@.type=="DestinationWritten")]`
	err = s.types(ctx,
		"kubectl apply -f config/samples/4-conflict.yaml",
		"kubectl -n tenant-a wait --for=jsonpath='{"+written+".reason}'=DestinationConflict projection/handmade --timeout=30s",
		"kubectl get projections -A",
		"kubectl -n tenant-a get projection handmade -o jsonpath='{"+written+".message}'",
		"kubectl -n tenant-a get configmap handmade -o yaml",
	)
	if err != nil {
		return err
	}
	after, err := s.shell.ask(ctx, whole)
	if err != nil {
		return err
	}
	if before != after {
		return fmt.Errorf("the stranger was changed:\n%s\nwas:\n%s", after, before)
	}
	tell("Not a byte of the stranger has changed, its resourceVersion included.")
	return nil
}

func (s *story) end(ctx context.Context) error {
	heading("The rule is deleted, and the copy goes with it")
	if err := s.types(ctx, "kubectl -n tenant-a delete projection app-config"); err != nil {
		return err
	}
	if _, err := s.seen.next(ctx, watch.Deleted, "tenant-a", "shared-config"); err != nil {
		return err
	}
	return s.types(ctx, "kubectl get configmaps --namespace tenant-a", "kubectl get configmap app-config --namespace platform")
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
