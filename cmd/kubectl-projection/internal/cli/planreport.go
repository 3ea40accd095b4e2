package cli

import (
	"fmt"
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

func (r planReport) hasChange() bool {
	return slices.ContainsFunc(r.Rules, func(rule plannedRule) bool { return rule.HasChange() })
}

// planPrinter prints a plan: as text rule by rule, as soon as something is known of it, or as one object.
type planPrinter struct {
	o      *options
	out    *output
	report planReport
}

func (p *planPrinter) isText() bool { return p.out.format == "" || p.out.format == formatWide }

// begin prints which rule is next.
func (p *planPrinter) begin(rule plannedRule) error {
	if !p.isText() {
		return nil
	}
	return rule.header(p.o.Out)
}

// add prints what becomes of the copies of the rule.
func (p *planPrinter) add(rule plannedRule) error {
	for action, number := range rule.Counts {
		p.report.Summary[action] += number
	}
	p.report.Rules = append(p.report.Rules, rule)
	if !p.isText() {
		return nil
	}
	if err := rule.body(p.o.Out, p.out); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.o.Out)
	return err
}

func (p *planPrinter) end() error {
	if !p.isText() {
		return p.out.print(p.o.Out, report{kind: "Plan", data: p.report})
	}
	if p.report.Others > 0 {
		if _, err := fmt.Fprintln(p.o.Out, count(p.report.Others, "other object is", "other objects are")+" not considered"); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(p.o.Out, "Plan: "+counted(p.report.Summary))
	return err
}
