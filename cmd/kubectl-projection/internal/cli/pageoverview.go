package cli

import (
	"cmp"
	"net/http"
	"slices"

	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// groupsOfRules are the groups of rules on the overview, the worst first.
var groupsOfRules = []struct {
	tone ui.Tone
	name string
}{{ui.Bad, "Not ready"}, {ui.Unknown, "Unknown"}, {ui.Waiting, "Not reported"}, {ui.Off, "Suspended"}, {ui.Good, "Ready"}}

// notServed is the group of rules that the operator does not reconcile.
const notServed = "Not reconciled"

// overview shows what status prints: each rule with its source and its copies.
func (p pages) overview(r *http.Request) (ui.Page, error) {
	found, err := p.status(r.Context(), p.scope, "")
	if err != nil {
		return ui.Page{}, err
	}
	atLeast := ""
	if len(found.Unknown) > 0 {
		atLeast = "at least "
	}
	page := ui.Page{
		Title: "Overview", Lead: describeOperator(found.Operator), Unknown: mayNotList(found.Unknown),
		Facts: []ui.Fact{
			ui.Named("Rules", ui.Text(atLeast+count(len(found.Rules), "rule", "rules"))),
			ui.Named("In sync", ui.Text(atLeast+count(found.Copies, "copy", "copies"))),
		},
		Listing: &ui.Listing{
			Title: "What goes where", Empty: "There are no rules.",
			Columns: ui.Columns("Source", "Rule", "Copies in sync", "Reason", "Since", "Message"),
		},
	}
	bad := 0
	for _, rule := range found.Rules {
		page.Listing.Rows = append(page.Listing.Rows, p.rowOfRule(rule))
		if rule.tone() == ui.Bad {
			bad++
		}
	}
	if bad > 0 {
		page.Facts = append(page.Facts, ui.Named("Not ready", ui.Cell{Text: atLeast + count(bad, "rule", "rules"), Link: "/problems", Tone: ui.Bad}))
	}
	slices.SortStableFunc(page.Listing.Rows, func(a, b ui.Row) int { return cmp.Compare(rankOf(a.Tone), rankOf(b.Tone)) })
	return page, nil
}

// group is the group of the rule on the overview.
func (i ruleInfo) group() string {
	if i.NotServed {
		return notServed
	}
	return groupsOfRules[rankOf(i.tone())].name
}

func rankOf(tone ui.Tone) int {
	for i, group := range groupsOfRules {
		if group.tone == tone {
			return i
		}
	}
	return len(groupsOfRules)
}

func (p pages) rowOfRule(rule ruleInfo) ui.Row {
	source := ui.Cell{Text: rule.Source, Link: objectPath(rule.source)}
	copies := ui.Cell{Text: rule.copies(), Tone: rule.tone()}
	message := ""
	if rule.tone() != ui.Good {
		message = rule.Message
	}
	return ui.Row{
		Group: rule.group(), Tone: rule.tone(),
		Cells: []ui.Cell{source, {Text: rule.String(), Link: rule.path()}, copies, ui.Text(rule.reason()), ui.Text(age(p.now(), rule.Since)), ui.Text(message)},
	}
}
