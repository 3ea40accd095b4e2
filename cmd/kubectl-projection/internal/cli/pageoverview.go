package cli

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// groupOfRules is a group of rules on the overview.
type groupOfRules struct {
	tone ui.Tone
	name string
}

// groupsOfRules are the groups of rules on the overview, the worst first.
var groupsOfRules = []groupOfRules{{ui.Bad, "Not ready"}, {ui.Unknown, "Unknown"}, {ui.Waiting, "Not reported"}, {ui.Off, "Suspended"}, {ui.Good, "Ready"}}

// notServed is the group of rules that the operator does not reconcile.
const notServed = "Not reconciled"

// overview shows what status prints: each rule with its source and its copies, as a picture and as a list.
func (p pages) overview(r *http.Request) (ui.Page, error) {
	i, err := p.inquire(r.Context(), "")
	if err != nil {
		return ui.Page{}, err
	}
	rules, err := i.cluster.Rules(r.Context(), p.scope, metav1.ListOptions{})
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{
		Title: "Overview", Lead: describeOperator(i.settings), Unknown: mayNotList(rules.Unknown),
		Listing: &ui.Listing{
			Title: "What goes where", Empty: "There are no rules.", Columns: ui.Columns("Source", "Rule", "Copies in sync", "Reason", "Since", "Message"),
			Flow: &ui.Flow{Titles: [3]string{"Sources", "Rules", titleNamespaces}, Rests: [3]string{"other sources", "other rules", otherNamespaces}},
		},
	}
	infos := make([]ruleInfo, len(rules.Items))
	for n, rule := range rules.Items {
		infos[n] = infoOf(rule, i.settings)
		page.Listing.Rows = append(page.Listing.Rows, p.rowOfRule(infos[n], threadOf(rule, infos[n])))
	}
	page.Numbers = numbersOf(infos, len(rules.Unknown) > 0)
	slices.SortStableFunc(page.Listing.Rows, func(a, b ui.Row) int {
		return cmp.Or(cmp.Compare(rankOf(a.Tone), rankOf(b.Tone)), cmp.Compare(a.Cells[1].Text, b.Cells[1].Text))
	})
	return page, nil
}

// numbersOf counts the rules and their copies. If some rules may not be listed, there may be more.
func numbersOf(rules []ruleInfo, hidesRules bool) []ui.Fact {
	atLeast := ""
	if hidesRules {
		atLeast = "at least "
	}
	groups, inSync, failing := map[string]int{}, 0, 0
	for _, rule := range rules {
		groups[rule.group()]++
		failing += int(rule.Failed)
		if rule.InSync != nil {
			inSync += int(*rule.InSync)
		}
	}
	numbers := []ui.Fact{ui.Named("rules", ui.Text(atLeast+strconv.Itoa(len(rules))))}
	for _, group := range append(slices.Clone(groupsOfRules), groupOfRules{ui.Bad, notServed}) {
		if number := groups[group.name]; number > 0 {
			link := "/?" + url.Values{"group": {group.name}}.Encode()
			numbers = append(numbers, ui.Named(strings.ToLower(group.name), ui.Cell{Text: atLeast + strconv.Itoa(number), Link: link, Tone: group.tone}))
		}
	}
	numbers = append(numbers, ui.Named("copies in sync", ui.Cell{Text: atLeast + strconv.Itoa(inSync), Tone: ui.Good}))
	if failing > 0 {
		numbers = append(numbers, ui.Named("copies failed", ui.Cell{Text: atLeast + strconv.Itoa(failing), Link: "/problems", Tone: ui.Bad}))
	}
	return numbers
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

func (p pages) rowOfRule(rule ruleInfo, thread ui.Thread) ui.Row {
	source := ui.Cell{Text: rule.Source, Link: rule.sourcePath()}
	copies := ui.Cell{Text: rule.copies(), Tone: rule.tone()}
	message := ""
	if rule.tone() != ui.Good {
		message = rule.Message
	}
	return ui.Row{
		Group: rule.group(), Tone: rule.tone(), Thread: thread,
		Cells: []ui.Cell{source, {Text: rule.String(), Link: rule.path()}, copies, ui.Text(rule.reason()), ui.Text(age(p.now(), rule.Since)), ui.Text(message)},
	}
}
