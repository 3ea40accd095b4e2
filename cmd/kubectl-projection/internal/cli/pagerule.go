package cli

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
	"projection.sh/operator/components/owner"
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

func rankOfState(state forecast.State) int {
	for i := range states {
		if states[i].state == state {
			return i
		}
	}
	return 0
}

func toneOf(state forecast.State) ui.Tone { return states[rankOfState(state)].tone }

// maxTroubled is how many copies that are not as the rule wants them are described on the page of a rule.
const maxTroubled = 20

// rule shows what tree prints, and the conditions with what they mean.
func (p pages) rule(r *http.Request) (ui.Page, error) {
	i, rule, err := p.ruleAt(r, "")
	if err != nil {
		return ui.Page{}, err
	}
	namespaces := i.cluster.AllNamespaces()
	if rule.Kind.Namespaced {
		namespaces = i.cluster.OneNamespace(rule.Namespace)
	}
	branches, err := forecast.New(r.Context(), i.cluster, i.settings, namespaces).All(r.Context(), rule)
	if err != nil {
		return ui.Page{}, err
	}
	info := infoOf(rule, i.settings)
	page := ui.Page{Title: rule.String(), Tone: info.tone(), Lead: info.Message, Facts: factsOf(rule, info)}
	page.Sections = append(page.Sections, p.conditions(rule))
	listing, trouble := listCopies(info, branches)
	page.Progress = progressOf(branches)
	if len(trouble.Rows) > 0 {
		page.Sections = append(page.Sections, trouble)
	}
	if page.Listing = listing; !rule.Kind.Namespaced {
		page.Unknown, err = addOthers(r.Context(), listing, info, namespaces, branches)
	}
	if err != nil {
		return ui.Page{}, err
	}
	spec, err := specText(rule)
	page.Sections = append(page.Sections, ui.Section{Title: "Spec", Text: spec})
	return page, err
}

func specText(rule access.Rule) (string, error) {
	spec, err := specOf(rule)
	if err != nil {
		return "", err
	}
	text, err := yaml.Marshal(spec)
	return string(text), err
}

func factsOf(rule access.Rule, info ruleInfo) []ui.Fact {
	facts := []ui.Fact{
		ui.Named("Status", ui.Text(info.state())),
		ui.Named("Source", ui.Cell{Text: sourceOf(rule.Spec), Link: objectPath(info.source)}),
	}
	for _, layer := range rule.Spec.Merge.Layers {
		facts = append(facts, ui.Named("Layer", objectCell(forecast.SourceOf(layer.Source))))
	}
	return append(facts,
		ui.Named("Copies in sync", ui.Text(info.copies())),
		ui.Named("Try a change", ui.Cell{Text: "plan", Link: planPath(info)}),
		ui.Named("In a terminal", ui.Command("kubectl projection tree "+info.argument()+info.inNamespace())))
}

// conditions shows what the operator reports, and what it means.
func (p pages) conditions(rule access.Rule) ui.Section {
	section := ui.Section{Title: "Conditions", Columns: ui.Columns("Condition", "Reason", "Since", "Message", "What it means")}
	for _, condition := range rule.Object.GetCommonStatus().Conditions {
		meaning := reasons()[condition.Reason]
		section.Rows = append(section.Rows, []ui.Cell{
			{Text: condition.Type + "=" + string(condition.Status), Tone: toneOfCondition(condition)},
			ui.Text(condition.Reason), ui.Text(age(p.now(), &condition.LastTransitionTime)), ui.Text(condition.Message), ui.Text(meaning),
		})
	}
	if len(section.Rows) == 0 {
		section.Note = "The operator has reported nothing."
	}
	return section
}

func toneOfCondition(condition metav1.Condition) ui.Tone {
	isGood := condition.Status == metav1.ConditionTrue
	if condition.Type == v1.ConditionStalled {
		isGood = condition.Status == metav1.ConditionFalse
	}
	switch {
	case condition.Status == metav1.ConditionUnknown:
		return ui.Waiting
	case isGood:
		return ui.Good
	default:
		return ui.Bad
	}
}

// progressOf counts the copies that are as the rule wants them; nil: there are none to count.
func progressOf(branches []forecast.Branch) *ui.Progress {
	progress := &ui.Progress{}
	for _, branch := range branches {
		progress.Of += len(branch.Copies)
		progress.Done += branch.Count(forecast.InSync) + branch.Count(forecast.Exists)
	}
	if progress.Of == 0 {
		return nil
	}
	progress.Label = number(new(int32(progress.Done))) + " of " + count(progress.Of, "copy", "copies") + " in sync" //nolint:gosec // namespaces
	return progress
}

// listCopies returns a tile for each copy that is wanted, and a table of those that are not as they should be.
func listCopies(info ruleInfo, branches []forecast.Branch) (*ui.Listing, ui.Section) {
	listing := &ui.Listing{Title: "Namespaces", Empty: "The rule wants no copy."}
	trouble := ui.Section{Title: "What is wrong", Columns: ui.Columns("Copy", "State", "Reason", "Message", "Next")}
	var verdicts []forecast.Verdict
	for _, branch := range branches {
		if branch.Refused != nil {
			refused := *branch.Refused
			refused.Source = branch.Source
			trouble.Rows = append(trouble.Rows, rowOfVerdict(info, refused))
		}
		verdicts = append(verdicts, branch.Copies...)
	}
	slices.SortStableFunc(verdicts, func(a, b forecast.Verdict) int {
		return cmp.Or(cmp.Compare(rankOfState(a.State), rankOfState(b.State)), cmp.Compare(a.Namespace, b.Namespace))
	})
	troubled := 0
	for _, verdict := range verdicts {
		state := states[rankOfState(verdict.State)]
		text := verdict.Namespace
		if len(branches) > 1 && verdict.Copy != nil {
			text += "/" + verdict.Copy.Name
		}
		listing.Rows = append(listing.Rows, ui.Row{Group: state.group, Tone: state.tone, Cells: []ui.Cell{{Text: text, Link: info.path("in", verdict.Namespace)}}})
		if state.tone == ui.Good {
			continue
		}
		if troubled++; troubled <= maxTroubled {
			trouble.Rows = append(trouble.Rows, rowOfVerdict(info, verdict))
		}
	}
	if troubled > maxTroubled {
		trouble.Note = "The first of " + count(troubled, "copy", "copies") + "; the namespaces below are in groups."
	}
	return listing, trouble
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

// addOthers adds the namespaces in which the rule wants no copy.
func addOthers(
	ctx context.Context, listing *ui.Listing, info ruleInfo, namespaces *access.Namespaces, branches []forecast.Branch,
) (unknown []string, err error) {
	all, err := namespaces.All(ctx)
	if access.IsUnknown(err) {
		return []string{"you may not list namespaces: only those in which the rule wants a copy are shown"}, nil
	}
	wanted := map[string]bool{}
	for _, branch := range branches {
		if branch.Refused != nil {
			return nil, err
		}
		for _, verdict := range branch.Copies {
			wanted[verdict.Namespace] = true
		}
	}
	for i := range all {
		if name := all[i].Name; !wanted[name] {
			state := states[rankOfState(forecast.NotTarget)]
			listing.Rows = append(listing.Rows, ui.Row{Group: state.group, Tone: state.tone, Cells: []ui.Cell{{Text: name, Link: info.path("in", name)}}})
		}
	}
	return nil, err
}

// inNamespace returns the flag that commands about a Projection need.
func (i ruleInfo) inNamespace() string {
	if i.Namespace == "" {
		return ""
	}
	return " -n " + i.Namespace
}

func kindOfRules(namespaced bool) owner.RuleKind {
	if namespaced {
		return owner.Projection
	}
	return owner.ClusterProjection
}
