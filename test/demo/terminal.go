package main

import (
	"fmt"
	"os"
	"strings"
)

// styled reports whether to print escape sequences: to a terminal, or with CLICOLOR_FORCE set; never with NO_COLOR set.
var styled = func() bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	info, err := os.Stdout.Stat()
	return os.Getenv("CLICOLOR_FORCE") != "" || err == nil && info.Mode()&os.ModeCharDevice != 0
}()

func style(code, text string) string {
	if !styled {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func heading(text string) {
	fmt.Printf("\n%s\n", style("1;36", "== "+text))
}

func say(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
}

func showCommand(line string) {
	fmt.Printf("\n%s\n", style("1", "$ "+line))
}

// showOutput indents what a command has printed, so that it stands apart from the story.
func showOutput(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Println("  " + line)
	}
}

// tell shows what a step has come to.
func tell(result string) { fmt.Printf("\n%s\n", style("1;32", result)) }
