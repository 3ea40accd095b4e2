package cli

import (
	_ "embed" // for reasons.txt
	"strings"
	"sync"
)

// reasonsText has the first two sentences of each section about a reason of docs/troubleshooting.md: a test compares it.
//
//go:embed reasons.txt
var reasonsText string

// reasons says what each reason of a condition means.
var reasons = sync.OnceValue(func() map[string]string {
	meanings := map[string]string{}
	for line := range strings.Lines(reasonsText) {
		reason, meaning, _ := strings.Cut(strings.TrimSpace(line), ": ")
		meanings[reason] = meaning
	}
	return meanings
})
