package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// most is how long a run may take, and mostOfFleet how long one with thousands of clusters may take besides.
const (
	most        = 15 * time.Minute
	mostOfFleet = time.Hour
)

// bench is one run.
type bench struct {
	options
	sizes
	report *report
	logs   string
}

// stages share what they set up among their rows.
var stages = []struct {
	rows []string
	run  func(*bench, context.Context) error
	// asked tells that the stage runs only if its rows are asked for.
	asked bool
}{
	{[]string{"create", "edit", "burst", "status", "idle"}, (*bench).rules, false},
	{[]string{"fanout", "heal", "gained", "lost"}, (*bench).fanOuts, false},
	{[]string{"restart", "copies"}, (*bench).restarts, false},
	{[]string{"memory"}, (*bench).memories, false},
	{[]string{"noop"}, (*bench).microBenchmarks, false},
	{[]string{"load"}, (*bench).load, true},
	{[]string{"fleet"}, (*bench).pulls, true},
	{[]string{"fleetpush"}, (*bench).pushes, true},
}

func rowNames() []string {
	var names []string
	for _, stage := range stages {
		names = append(names, stage.rows...)
	}
	return names
}

// usualRows are those that run if none is asked for.
func usualRows() []string {
	var names []string
	for _, stage := range stages {
		if !stage.asked {
			names = append(names, stage.rows...)
		}
	}
	return names
}

// measure runs the chosen rows and reports what it has, even if something fails on the way.
func measure(ctx context.Context, chosen options) (err error) {
	b := &bench{options: chosen, sizes: sizesFor(chosen.scale), report: newReport(chosen)}
	limit := most + chosen.rest
	for _, row := range []string{"fleet", "fleetpush"} {
		if b.wanted(row) {
			limit += mostOfFleet
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the run was ended after %s", limit))
	defer cancel()
	b.loadRest = chosen.rest
	if b.logs, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	began, err := machineNow()
	if err != nil {
		return err
	}
	for _, stage := range stages {
		if err == nil && b.wanted(stage.rows...) {
			err = b.stage(ctx, stage.rows, stage.run)
		}
	}
	if ended, failure := machineNow(); failure == nil {
		b.report.Others = ended.othersSince(began)
	}
	err = errors.Join(err, b.report.finish(b.sizes, chosen.out))
	if err != nil {
		return fmt.Errorf("%w\n(the logs are in %s)", err, b.logs)
	}
	return os.RemoveAll(b.logs)
}

func (b *bench) stage(ctx context.Context, rows []string, run func(*bench, context.Context) error) error {
	fmt.Fprintf(os.Stderr, "%s  %v ...\n", time.Now().Format(time.TimeOnly), rows)
	err := run(b, ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// wanted tells whether one of the rows was chosen.
func (b *bench) wanted(rows ...string) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return slices.Contains(b.rows, row) })
}

// both runs a stage with each copier alone, one after the other.
func (b *bench) both(ctx context.Context, kinds []kind, run func(*scene) error) error {
	for _, who := range []copier{theLimit, theManager} {
		if err := b.with(ctx, who, kinds, run); err != nil {
			return err
		}
	}
	return nil
}

// with runs a stage with one copier.
func (b *bench) with(ctx context.Context, who copier, kinds []kind, run func(*scene) error) (err error) {
	s, err := b.open(ctx, who, kinds)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	before, err := machineNow()
	if err != nil {
		return err
	}
	if err := run(s); err != nil {
		return err
	}
	after, err := machineNow()
	fmt.Fprintf(os.Stderr, "%s    %s is done; others used %.0f %% of the machine\n",
		time.Now().Format(time.TimeOnly), who, 100*after.othersSince(before))
	return err
}

// measurement measures one row.
type measurement struct {
	row string
	run func(context.Context) error
}

// measureRows measures those that were chosen.
func (s *scene) measureRows(ctx context.Context, measurements ...measurement) error {
	for _, m := range measurements {
		if !s.wanted(m.row) {
			continue
		}
		if err := m.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", m.row, err)
		}
	}
	return nil
}
