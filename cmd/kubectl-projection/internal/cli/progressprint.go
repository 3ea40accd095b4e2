package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"time"
)

// watchProgress prints how far the copies of the rule are, until all are up to date. Without a limit, it goes on as long as that takes.
func (o *options) watchProgress(ctx context.Context, args []string, limit time.Duration, out *output) error {
	if limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, limit)
		defer stop()
	}
	i, rule, err := o.ruleIn(ctx, args)
	if err != nil {
		return err
	}
	printer := &progressPrinter{to: o.Out, out: out, line: newLiveLine(o.Out, o.terminal)}
	err = i.newRuleWatch(rule).each(ctx, o.now, func(seen progress) (bool, error) { return !seen.Complete, printer.print(seen) })
	ended := printer.line.end()
	switch {
	case err == nil:
		return ended
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("not all copies of the %s were up to date within %s", rule, limit)
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted before all copies of the %s were up to date", rule)
	default:
		return err
	}
}

// progressPrinter prints progress if it is other than before.
type progressPrinter struct {
	to   io.Writer
	out  *output
	line *liveLine
	// before and text are what was printed.
	before progress
	text   string
}

func (p *progressPrinter) print(seen progress) error {
	isJSON, text := p.out.format == formatJSON, seen.line()
	switch {
	case isJSON && reflect.DeepEqual(seen, p.before), !isJSON && text == p.text:
		return nil
	case isJSON:
		p.before = seen
		return p.out.print(p.to, report{kind: "Progress", data: seen})
	default:
		p.text = text
		return p.line.set(text)
	}
}

// liveLine is a line that changes. On a terminal, it is written again in its place; otherwise each text is a line.
type liveLine struct {
	out      io.Writer
	terminal *terminal
	length   int
}

func newLiveLine(out io.Writer, terminal *terminal) *liveLine {
	return &liveLine{out: out, terminal: terminal}
}

// set replaces the text of the line.
func (l *liveLine) set(text string) error {
	if l.terminal == nil {
		_, err := fmt.Fprintln(l.out, text)
		return err
	}
	shown := []rune(text)
	if width := l.terminal.width(); width > 1 && len(shown) >= width {
		shown = append(shown[:width-2], '…')
	}
	blank := slices.Repeat([]byte{' '}, max(l.length-len(shown), 0))
	l.length = len(shown)
	if _, err := io.WriteString(l.terminal, "\r"); err != nil {
		return err
	}
	_, err := fmt.Fprintf(l.out, "%s%s", string(shown), blank)
	return err
}

// end ends the line.
func (l *liveLine) end() error {
	if l.terminal == nil || l.length == 0 {
		return nil
	}
	l.length = 0
	_, err := fmt.Fprintln(l.out)
	return err
}
