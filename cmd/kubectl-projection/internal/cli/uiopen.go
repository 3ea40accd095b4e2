package cli

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
)

// openers are the programs that open an address in the browser of the reader, by operating system. Others have that of Linux.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
	"linux":   {"xdg-open"},
}

func openerOn(system string) []string {
	if opener, isKnown := openers[system]; isKnown {
		return opener
	}
	return openers["linux"]
}

// open opens the address in a browser, which outlives this program.
func (o *options) open(ctx context.Context, address string) {
	opener := append(openerOn(runtime.GOOS), address)
	command := exec.CommandContext(context.WithoutCancel(ctx), opener[0], opener[1:]...) //nolint:gosec // a fixed program, and an address of this one
	go func() {
		if err := command.Run(); err != nil {
			_, _ = fmt.Fprintf(o.ErrOut, "No browser was opened, since %v: open the address.\n", err)
		}
	}()
}
