package cli

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// maxDiffs is how many diffs a page shows.
const maxDiffs = 20

// plan shows what plan prints of a rule with a change. It writes nothing.
func (p pages) plan(r *http.Request) (ui.Page, error) {
	asked := r.URL.Query()
	if r.Method == http.MethodPost {
		asked = r.PostForm
	}
	page := ui.Page{Title: "Plan", IsStill: true, Form: planForm(asked)}
	if r.Method != http.MethodPost {
		return page, nil
	}
	planned, err := p.planned(r.Context(), asked)
	if err != nil {
		page.Sections = []ui.Section{{Title: "This cannot be planned", Note: err.Error()}}
		return page, nil //nolint:nilerr // the page says it
	}
	addPlan(&page, planned)
	return page, nil
}

func planForm(asked url.Values) *ui.Form {
	return &ui.Form{
		Note:   "What would become of the copies of a rule with a change. The API server checks the rule in a dry run; nothing is written.",
		Submit: "Show the plan",
		Fields: []ui.Field{
			ui.Labelled("rule", "Rule", "As kubectl takes it, such as clusterprojection/base.", asked),
			ui.Labelled("namespace", "Namespace", "Of a Projection.", asked),
			ui.Labelled("selector", "Selector of namespaces", "Of a ClusterProjection, such as team in (web,api). Empty: as it is.", asked).Wide(),
			ui.Labelled("labels", "Labels of the copies", "To add to spec.overlay.labels: KEY=VALUE, one a line.", asked).Long(),
			ui.Labelled("annotations", "Annotations of the copies", "To add to spec.overlay.annotations: KEY=VALUE, one a line.", asked).Long(),
			ui.Labelled("diff", "Show how each copy changes (values of Secrets as ***)", "", asked).Check(),
		},
	}
}

func (p pages) planned(ctx context.Context, asked url.Values) (plannedRule, error) {
	i, err := p.inquire(ctx, asked.Get("namespace"))
	if err != nil {
		return plannedRule{}, err
	}
	wanted := changes{strings.TrimSpace(asked.Get("selector")), linesOf(asked.Get("labels")), linesOf(asked.Get("annotations"))}
	proposed, err := wanted.ofRule(ctx, i.cluster, strings.Fields(asked.Get("rule")), i.namespace)
	if err != nil {
		return plannedRule{}, err
	}
	planned, rule, err := planOf(ctx, i.cluster, i.settings, proposed)
	if err != nil {
		return plannedRule{}, err
	}
	namespaces := i.cluster.AllNamespaces()
	if planned.Rule.Kind.Namespaced {
		namespaces = i.cluster.OneNamespace(planned.Rule.Namespace)
	}
	forecaster := forecast.New(ctx, i.cluster, i.settings, namespaces)
	if rule.Changes, err = forecaster.Changes(ctx, planned.Rule, planned.Before); err != nil || asked.Get("diff") == "" {
		return rule, err
	}
	return rule, forecaster.AddDiffs(ctx, planned.Rule, rule.Changes.Changes[:min(len(rule.Changes.Changes), maxDiffs)])
}

func linesOf(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// harms are the actions with what they are to the reader, those first that take something away.
var harms = []struct {
	action forecast.Action
	tone   ui.Tone
}{
	{forecast.Delete, ui.Bad}, {forecast.Refuse, ui.Bad}, {forecast.Undecided, ui.Unknown}, {forecast.Release, ui.Waiting}, {forecast.Adopt, ui.Waiting},
	{forecast.Update, ui.Waiting}, {forecast.Create, ui.Good}, {forecast.Keep, ui.Off}, {forecast.Skip, ui.Off}, {forecast.Unchanged, ui.Off},
}

func rankOfAction(action forecast.Action) int {
	for i := range harms {
		if harms[i].action == action {
			return i
		}
	}
	return len(harms) - 1
}

func addPlan(page *ui.Page, rule plannedRule) {
	page.Title, page.Lead = "Plan of "+rule.String(), "Plan: "+counted(rule.Counts)
	for _, harm := range harms {
		if number := rule.Counts[harm.action]; number > 0 {
			page.Numbers = append(page.Numbers, ui.Named(string(harm.action), ui.Cell{Text: strconv.Itoa(number), Tone: harm.tone}))
		}
	}
	for _, field := range rule.Fields {
		page.Facts = append(page.Facts, ui.Named("Field", ui.Text(field.String())))
	}
	for _, note := range rule.Notes {
		page.Facts = append(page.Facts, ui.Named("Note", ui.Text(note)))
	}
	page.Listing = &ui.Listing{Title: "Changes", Empty: "No copy changes.", Columns: ui.Columns("Namespace", "Action", "Copy", "Reason", "Message")}
	sorted := slices.Clone(rule.Changes.Changes)
	slices.SortStableFunc(sorted, func(a, b forecast.Change) int { return cmp.Compare(rankOfAction(a.Action), rankOfAction(b.Action)) })
	for _, change := range sorted {
		row := rowOf(change, false)
		tone := harms[rankOfAction(change.Action)].tone
		page.Listing.Rows = append(page.Listing.Rows, ui.Row{Group: string(change.Action), Tone: tone, Cells: []ui.Cell{
			{Text: row[0]}, {Text: row[1], Tone: tone}, {Text: row[2]}, {Text: row[4]}, {Text: row[5]},
		}})
		if change.Diff != "" {
			page.Sections = append(page.Sections, ui.Section{Title: "How " + change.Copy.String() + " changes", Text: change.Diff, IsDiff: true})
		}
	}
}
