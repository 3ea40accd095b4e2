package cli

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
	"projection.sh/operator/components/owner"
)

// rule shows what tree prints, and the conditions with what they mean.
func (p pages) rule(r *http.Request) (ui.Page, error) {
	i, rule, err := p.ruleAt(r, "")
	if access.IsUnknown(err) {
		return hiddenRule(r), nil
	}
	if err != nil {
		return ui.Page{}, err
	}
	if rule.Clusters != nil {
		return p.pushed(r, i, rule)
	}
	namespaces := i.cluster.AllNamespaces()
	if rule.Kind.Namespaced {
		namespaces = i.cluster.OneNamespace(rule.Namespace)
	}
	forecaster := forecast.New(r.Context(), i.cluster, i.settings, namespaces)
	branches, err := forecaster.All(r.Context(), rule)
	if err != nil {
		return ui.Page{}, err
	}
	info := infoOf(rule, i.settings)
	copies := copiesShownOf(rule, branches)
	page := ui.Page{
		Title: rule.String(), Tone: info.tone(), Lead: info.Message, Facts: factsOf(rule, info),
		Progress: p.paces.progressOf(rule.UID, p.now(), copies), Listing: copies.listing(info),
	}
	if trouble := copies.trouble(info); len(trouble.Rows) > 0 {
		page.Sections = append(page.Sections, trouble)
	}
	if !copies.isRefused() {
		others, err := forecaster.Others(r.Context(), rule, branches)
		if access.IsUnknown(err) {
			page.Unknown, err = []string{"you may not list namespaces: only those in which the rule wants a copy are shown"}, nil
		}
		if err != nil {
			return ui.Page{}, err
		}
		addOthers(&page, info, others)
	}
	spec, err := specText(rule)
	page.After = []ui.Section{p.conditions(rule.Object.GetCommonStatus().Conditions), {Title: "Spec", Text: spec}}
	return page, err
}

// hiddenRule is the page of a rule that the caller may not read.
func hiddenRule(r *http.Request) ui.Page {
	namespace := r.PathValue("namespace")
	rule := unreadable(kindOfRules(namespace != ""), namespace, r.PathValue("name"))
	return ui.Page{Title: rule.String(), Tone: ui.Unknown, Unknown: []string{"you may not read the " + rule.String()}, Facts: []ui.Fact{
		ui.Named("Namespace", ui.Cell{Text: namespace, Link: namespacePath(namespace)}),
		ui.Named("In a terminal", ui.Command("kubectl auth can-i get "+rule.argument()+rule.inNamespace())),
	}}
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
		ui.Named("Source", ui.Cell{Text: sourceOf(rule), Link: info.sourcePath()}),
	}
	if cluster := rule.SourceCluster; cluster != "" {
		facts = append(facts, ui.Named("Cluster of the source", clusterCell(cluster)))
	}
	for _, layer := range rule.Spec.Merge.Layers {
		facts = append(facts, ui.Named("Layer", objectCell(forecast.SourceOf(layer.Source))))
	}
	return append(facts,
		ui.Named("Reported in sync", ui.Text(info.copies())),
		ui.Named("Try a change", ui.Cell{Text: "plan", Link: planPath(info)}),
		ui.Named("In a terminal", ui.Command("kubectl projection tree "+info.argument()+info.inNamespace())))
}

// conditions shows what the operator reports, and what it means.
func (p pages) conditions(conditions []metav1.Condition) ui.Section {
	section := ui.Section{Title: "Conditions", Columns: ui.Columns("Condition", "Reason", "Since", "Message", "What it means")}
	said := map[string]bool{}
	for _, condition := range conditions {
		message, meaning := condition.Message, reasons()[condition.Reason]
		if is := condition.Reason + " " + condition.Message; said[is] {
			message, meaning = "as above", ""
		} else {
			said[is] = true
		}
		section.Rows = append(section.Rows, []ui.Cell{
			{Text: condition.Type + "=" + string(condition.Status), Tone: toneOfCondition(condition)},
			ui.Text(condition.Reason), ui.Text(age(p.now(), &condition.LastTransitionTime)), ui.Text(message), ui.Text(meaning),
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
