package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal is one that the command prints to. What is written to it is not checked for control characters.
type terminal struct {
	io.Writer

	width func() int
}

// terminalOf returns the terminal that the writer is; nil: it is none.
func terminalOf(out io.Writer) *terminal {
	file, isFile := out.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &terminal{file, func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil {
			return 0
		}
		return width
	}}
}
