package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	choice := "all"
	if len(os.Args) > 1 {
		choice = os.Args[1]
	}
	err := runAll(ctx, choice)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// runAll runs the chosen mutants one after the other. It returns an error if one of them is not killed.
func runAll(ctx context.Context, choice string) error {
	mutants, err := all()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // files in a temporary directory
	var failed []string
	killed := 0
	for _, m := range mutants {
		chosen, err := m.chosen(choice)
		if err != nil {
			return err
		}
		if !chosen {
			continue
		}
		began := time.Now()
		if err := m.run(ctx, dir); err != nil {
			fmt.Fprintf(os.Stdout, "NOT KILLED %-70s %s\n%v\n", m.Name, m.File, err)
			failed = append(failed, m.Name)
		} else {
			fmt.Fprintf(os.Stdout, "killed %5.1f s  %-70s by %s %s\n", time.Since(began).Seconds(), m.Name, m.Package, m.Test)
			killed++
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fmt.Fprintf(os.Stdout, "%d mutants, %d killed\n", killed+len(failed), killed)
	switch {
	case len(failed) > 0:
		return fmt.Errorf("not killed: %q", failed)
	case killed == 0:
		return fmt.Errorf("there is no mutant %q", choice)
	default:
		return nil
	}
}
