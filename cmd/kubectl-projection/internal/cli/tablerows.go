package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/printers"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// flusher writes what it was given when it is flushed.
type flusher interface {
	io.Writer
	Flush() error
}

// tableRows prints rules in columns whose widths stay, and a rule again only if its row differs.
type tableRows struct {
	settings access.Settings
	out      output
	to       io.Writer
	tabs     flusher
	now      func() time.Time

	hasOperator bool
	// printed has the rows without what changes by itself, by the full names of the rules, and hidden the resources that were printed as such.
	printed map[string]string
	hidden  []string
	// failed are the errors of requests that were printed, by resource.
	failed map[string]string
}

func (o *options) newTableRows(settings access.Settings, out *output) *tableRows {
	return &tableRows{
		settings: settings, out: *out, to: o.Out, tabs: printers.GetNewTabWriter(o.Out), now: o.now,
		printed: map[string]string{}, failed: map[string]string{},
	}
}

// print prints the rules whose rows differ from those that were printed, and what may not be followed, or not now. The operator comes first.
func (t *tableRows) print(found news) error {
	if !t.hasOperator && !t.out.noHeaders {
		if _, err := fmt.Fprintf(t.to, "%s\n\n", describeOperator(t.settings)); err != nil {
			return err
		}
	}
	t.hasOperator = true
	changed := slices.DeleteFunc(found.changed, func(info ruleInfo) bool { return t.printed[info.String()] == t.rowOf(info) })
	if len(changed) > 0 {
		if err := errors.Join(printRules(t.tabs, &t.out, changed, t.now()), t.tabs.Flush()); err != nil {
			return err
		}
		t.out.noHeaders = true
	}
	for _, info := range changed {
		t.printed[info.String()] = t.rowOf(info)
	}
	return errors.Join(t.printHidden(found.hidden), t.printFailed(found.failed))
}

// printHidden prints each resource that the caller may not follow once.
func (t *tableRows) printHidden(hidden []string) error {
	for _, resource := range hidden {
		if slices.Contains(t.hidden, resource) {
			continue
		}
		if _, err := fmt.Fprintf(t.to, "%s: you may not list and watch %s\n", unknownValue, resource); err != nil {
			return err
		}
		t.hidden = append(t.hidden, resource)
	}
	return nil
}

// printFailed prints each request that has failed and is made again, until it succeeds.
func (t *tableRows) printFailed(failed map[string]error) error {
	for _, resource := range slices.Sorted(maps.Keys(failed)) {
		text := failed[resource].Error()
		if t.failed[resource] == text {
			continue
		}
		if _, err := fmt.Fprintf(t.to, "%s: a request for %s failed, and is made again: %s\n", unknownValue, resource, text); err != nil {
			return err
		}
		t.failed[resource] = text
	}
	maps.DeleteFunc(t.failed, func(resource, _ string) bool { return failed[resource] == nil })
	return nil
}

// rowOf returns what is printed of the rule, without its age.
func (t *tableRows) rowOf(info ruleInfo) string {
	row := rowOfRule(info, "")
	if t.out.format != formatWide {
		row = row[:len(row)-1]
	}
	return strings.Join(row, "\t")
}
