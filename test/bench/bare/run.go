package bare

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Words between the bare client and whoever runs it.
const (
	// Ready is the line it writes when it follows.
	Ready = "ready"
	// Heal is the line it reads when deleted copies are to come back. Until then, it does not watch copies.
	Heal = "heal"
)

// Kind is a kind of source.
type Kind struct {
	schema.GroupVersionResource
	Kind string
}

// Run follows all rules whose source is of these kinds until the context or the input ends.
func Run(ctx context.Context, config *rest.Config, kinds []Kind, concurrency int, input io.Reader, output io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := newClient(config)
	if err != nil {
		return err
	}
	for range concurrency {
		go c.work(ctx)
	}
	if err := c.open(ctx, kinds); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(output, Ready); err != nil {
		return err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(input); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-c.failed:
			return err
		case line, open := <-lines:
			if !open {
				return nil
			}
			if line != Heal {
				return fmt.Errorf("the bare client does not know what %q means", line)
			}
			if err := c.heal(ctx, kinds); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(output, Ready); err != nil {
				return err
			}
		}
	}
}
