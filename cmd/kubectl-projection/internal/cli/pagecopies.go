package cli

import (
	"cmp"
	"fmt"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// states are the states of copies, the worst first.
var states = []struct {
	state forecast.State
	tone  ui.Tone
	group string
}{
	{forecast.Refused, ui.Bad, "refused"},
	{forecast.Blocked, ui.Bad, "blocked"},
	{forecast.Foreign, ui.Bad, "foreign"},
	{forecast.Missing, ui.Waiting, "missing"},
	{forecast.OutOfSync, ui.Waiting, "out of sync"},
	{forecast.Unknown, ui.Unknown, "unknown"},
	{forecast.InSync, ui.Good, "in sync"},
	{forecast.Exists, ui.Good, "exists"},
	{forecast.NotTarget, ui.Off, "not selected"},
}

// failed is the group of copies that the operator reports as failed, whatever else they are.
const failed = "failed"

// groupsOfOthers are those of namespaces in which a rule wants no copy, by the reasons. Others are not selected.
var groupsOfOthers = map[string]string{
	v1.ReasonDestinationNotPermitted:    "not permitted",
	forecast.ReasonNamespaceExcluded:    "excluded",
	forecast.ReasonNamespaceTerminating: "being deleted",
	forecast.ReasonNotListed:            "not listed",
	forecast.ReasonPlaceOfSource:        "place of the source",
	v1.ReasonSourceNotFound:             "nothing to copy",
}

func rankOfState(state forecast.State) int {
	for i := range states {
		if states[i].state == state {
			return i
		}
	}
	return 0
}

func toneOf(state forecast.State) ui.Tone { return states[rankOfState(state)].tone }

// maxTroubled is how many kinds of trouble are described on the page of a rule.
const maxTroubled = 20

// copiesShown are the copies that a rule wants, as a page shows them.
type copiesShown struct {
	branches []forecast.Branch
	// copies are sorted, the worst first.
	copies []copyShown
}

// copyShown is a copy with what the operator reports of its namespace.
type copyShown struct {
	forecast.Verdict

	// hasFailed reports whether the operator says so.
	hasFailed bool
}

func copiesShownOf(rule access.Rule, branches []forecast.Branch) copiesShown {
	shown := copiesShown{branches: branches}
	for _, branch := range branches {
		for _, verdict := range branch.Copies {
			failure := forecast.ReportedIn(rule, verdict.Namespace)
			hasFailed := failure != nil && toneOf(verdict.State) == ui.Waiting && verdict.Message == failure.Message
			shown.copies = append(shown.copies, copyShown{verdict, hasFailed})
		}
	}
	slices.SortStableFunc(shown.copies, func(a, b copyShown) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Namespace, b.Namespace))
	})
	return shown
}

// rank has copies first that the operator reports as failed.
func (c copyShown) rank() int {
	if c.hasFailed {
		return -1
	}
	return rankOfState(c.State)
}

func (c copyShown) tone() ui.Tone {
	if c.hasFailed {
		return ui.Bad
	}
	return toneOf(c.State)
}

func (c copyShown) group() string {
	if c.hasFailed {
		return failed
	}
	return states[rankOfState(c.State)].group
}

// isRefused reports whether the rule is not carried out for a source, so that what it wants is not known.
func (c copiesShown) isRefused() bool {
	return slices.ContainsFunc(c.branches, forecast.Branch.HasFailed)
}

// listing returns a tile for each copy that is wanted.
func (c copiesShown) listing(info ruleInfo) *ui.Listing {
	listing := &ui.Listing{Title: titleNamespaces, Empty: "The rule wants no copy."}
	for _, branch := range c.branches {
		if branch.Refused != nil && !branch.HasFailed() {
			listing.Note = "There is nothing to copy: " + branch.Refused.Message + "."
		}
	}
	for _, copied := range c.copies {
		text := copied.Namespace
		if len(c.branches) > 1 && copied.Copy != nil {
			text += "/" + copied.Copy.Name
		}
		listing.Rows = append(listing.Rows, ui.Row{
			Group: copied.group(), Tone: copied.tone(), Cells: []ui.Cell{{Text: text, Link: info.path("in", copied.Namespace)}},
		})
	}
	return listing
}

// trouble describes what is refused, and the copies that are not as they should be. Those with the same trouble are one row. What the
// caller may not read is no trouble.
func (c copiesShown) trouble(info ruleInfo) ui.Section {
	section := ui.Section{Title: "What is wrong", Columns: ui.Columns("Copy", "State", "Reason", "Message", "Next")}
	for _, branch := range c.branches {
		if branch.HasFailed() {
			refused := *branch.Refused
			refused.Source = branch.Source
			section.Rows = append(section.Rows, rowOfVerdict(info, refused))
		}
	}
	type same struct{ state, reason, message, next string }
	rows, numbers := map[same]int{}, map[same]int{}
	for _, copied := range c.copies {
		if tone := copied.tone(); tone == ui.Good || tone == ui.Unknown {
			continue
		}
		kind := same{string(copied.State), copied.Reason, copied.Message, copied.Next}
		at, isThere := rows[kind]
		switch {
		case isThere:
			numbers[kind]++
			section.Rows[at][0].After = fmt.Sprintf("and %d more", numbers[kind])
		case len(rows) < maxTroubled:
			rows[kind] = len(section.Rows)
			section.Rows = append(section.Rows, copied.row(info))
		default:
			section.Note = "These are the first; the namespaces below are in groups."
		}
	}
	return section
}

func (c copyShown) row(info ruleInfo) []ui.Cell {
	row := rowOfVerdict(info, c.Verdict)
	row[1].Tone = c.tone()
	return row
}

func rowOfVerdict(info ruleInfo, verdict forecast.Verdict) []ui.Cell {
	about := ui.Cell{Text: verdict.Source.String(), Link: objectPath(verdict.Source)}
	if verdict.Namespace != "" {
		about = ui.Cell{Text: "namespace " + verdict.Namespace, Link: info.path("in", verdict.Namespace)}
	}
	if verdict.Copy != nil {
		about.Text = verdict.Copy.String()
	}
	return []ui.Cell{about, {Text: string(verdict.State), Tone: toneOf(verdict.State)}, ui.Text(verdict.Reason), ui.Text(verdict.Message), ui.Text(verdict.Next)}
}

// addOthers adds the namespaces in which the rule wants no copy, in groups that say why.
func addOthers(page *ui.Page, info ruleInfo, others []forecast.Verdict) {
	refused := 0
	for _, other := range others {
		group := groupsOfOthers[other.Reason]
		if group == "" {
			group = states[rankOfState(other.State)].group
		}
		if other.Reason == v1.ReasonDestinationNotPermitted {
			refused++
		}
		page.Listing.Rows = append(page.Listing.Rows, ui.Row{
			Group: group, Tone: toneOf(other.State), Cells: []ui.Cell{{Text: other.Namespace, Link: info.path("in", other.Namespace)}},
		})
	}
	slices.SortStableFunc(page.Listing.Rows[len(page.Listing.Rows)-len(others):], func(a, b ui.Row) int { return cmp.Compare(a.Group, b.Group) })
	if refused > 0 {
		text := "The owner of the source permits no copy in " + count(refused, "namespace", "namespaces") + "."
		page.Facts = append(page.Facts, ui.Named("Not permitted", ui.Text(text)))
	}
}
