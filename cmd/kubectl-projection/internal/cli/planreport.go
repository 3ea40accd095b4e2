package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// planReport is what would become of the copies of rules.
type planReport struct {
	Rules   []plannedRule           `json:"rules"`
	Summary map[forecast.Action]int `json:"summary"`
	// Others are how many objects in the files are no rules.
	Others int `json:"otherObjects,omitempty"`
}

// planPrinter prints a plan: as text rule by rule, as soon as something is known of it, or as one object.
type planPrinter struct {
	o      *options
	out    *output
	report planReport
	// hasChange reports whether anything changes, or may change, and hasPrinted whether there is a rule that could be planned.
	hasChange, hasPrinted bool
	// within is the namespace whose copies are shown; empty: all.
	within string
	// names are those of the rules whose copies change, or may change.
	names []string
}

func (p *planPrinter) isText() bool { return p.out.format == "" || p.out.format == formatWide }

// begin prints which rule is next.
func (p *planPrinter) begin(rule plannedRule) error {
	if !p.isText() {
		return nil
	}
	return rule.header(p.o.Out)
}

// blockSize is how many diffs are in memory at a time, and how many copies are checked before they are printed.
const blockSize = 100

// planSteps add to some changes what the caller asks for besides. Without it, they do nothing.
type planSteps struct {
	isChecked       bool
	check, addDiffs func([]forecast.Change) error
}

// add prints what becomes of the copies of the rule.
func (p *planPrinter) add(rule plannedRule, steps planSteps) error {
	for action, number := range rule.Counts {
		p.report.Summary[action] += number
	}
	p.hasChange, p.hasPrinted = p.hasChange || rule.HasChange(), true
	if rule.HasChange() {
		p.names = append(p.names, ruleInfo{Kind: rule.Kind, Name: rule.Name}.fullName())
	}
	if !p.isText() {
		p.report.Rules = append(p.report.Rules, rule)
		if err := steps.check(rule.Changes.Changes); err != nil {
			return err
		}
		return steps.addDiffs(rule.Changes.Changes)
	}
	if err := rule.body(p.o.Out, p.out, steps); err != nil {
		return err
	}
	for block := range slices.Chunk(rule.Changes.Changes, blockSize) {
		if err := steps.addDiffs(block); err != nil {
			return err
		}
		for i := range block {
			if _, err := io.WriteString(p.o.Out, block[i].Diff); err != nil {
				return err
			}
			block[i].Diff = ""
		}
	}
	_, err := fmt.Fprintln(p.o.Out)
	return err
}

func (p *planPrinter) end() error {
	if !p.isText() {
		return p.out.print(p.o.Out, report{kind: "Plan", data: p.report, names: p.names})
	}
	if p.report.Others > 0 {
		if _, err := fmt.Fprintln(p.o.Out, count(p.report.Others, "other object is", "other objects are")+" not considered"); err != nil {
			return err
		}
	}
	summary := "Plan: " + counted(p.report.Summary)
	if p.within != "" { // copies that stay as they are, are not counted
		summary = "Plan for the namespace " + p.within + ": " + cmp.Or(changesCounted(p.report.Summary), "nothing changes")
	}
	_, err := fmt.Fprintln(p.o.Out, summary)
	return err
}
