package cli

import (
	"context"
	"net/http"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// copyOf shows what why prints of a rule and a namespace, and how the copy would change.
func (p pages) copyOf(r *http.Request) (ui.Page, error) {
	in := r.PathValue("in")
	i, rule, err := p.ruleAt(r, in)
	if access.IsUnknown(err) {
		return hiddenRule(r), nil
	}
	if err != nil {
		return ui.Page{}, err
	}
	found, err := i.verdictsOn(r.Context(), rule)
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{Title: rule.String() + " in " + in, Facts: []ui.Fact{
		ui.Named("Rule", ui.Cell{Text: found.Rule.String(), Link: found.Rule.path(), Tone: found.Rule.tone()}),
		ui.Named("Status", ui.Text(found.Rule.state())),
		ui.Named("Reported", ui.Text(found.reported())),
		ui.Named("Namespace", ui.Cell{Text: in, Link: namespacePath(in)}),
		ui.Named("In a terminal", ui.Command("kubectl projection why "+found.Rule.argument()+" -n "+in)),
	}}
	changes := 0
	for _, verdict := range found.Copies {
		section := ui.Section{Title: verdict.Source.String(), Columns: ui.Columns("Copy", "State", "Reason", "Because", "Next")}
		place := ui.Cell{}
		if verdict.Copy != nil {
			place = objectCell(*verdict.Copy)
		}
		section.Rows = [][]ui.Cell{{
			place, {Text: string(verdict.State), Tone: toneOf(verdict.State)}, ui.Text(verdict.Reason), ui.Text(verdict.Message), ui.Text(verdict.Next),
		}}
		page.Sections = append(page.Sections, section)
		if verdict.State == forecast.Missing || verdict.State == forecast.OutOfSync || verdict.State == forecast.Foreign {
			changes++
		}
	}
	if len(found.Clusters) > 0 {
		page.Sections = append(page.Sections, sectionOfFailures(found.Clusters))
	}
	if len(found.Copies) == 1 {
		page.Tone = toneOf(found.Copies[0].State)
	}
	if changes > 0 {
		difference, err := i.difference(r.Context(), rule)
		if err != nil {
			return ui.Page{}, err
		}
		page.Sections = append(page.Sections, difference...)
	}
	return page, nil
}

// difference shows how the copies in the namespace would change. Values of Secrets are masked.
func (i inquiry) difference(ctx context.Context, rule access.Rule) (sections []ui.Section, err error) {
	forecaster := i.forecaster(ctx, i.namespace)
	planned, err := forecaster.Changes(ctx, rule, &rule)
	if err != nil {
		return nil, err
	}
	var here []forecast.Change
	for _, change := range planned.Changes { // of other namespaces, this forecaster knows nothing
		if change.Namespace == i.namespace {
			here = append(here, change)
		}
	}
	if err := forecaster.AddDiffs(ctx, rule, here); err != nil {
		return nil, err
	}
	for _, change := range here {
		if change.Diff != "" {
			sections = append(sections, ui.Section{Title: "What the operator would change", Text: change.Diff, IsDiff: true})
		}
	}
	return sections, nil
}
