package cli

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
	"projection.sh/operator/components/owner"
)

// namespaces lists the namespaces, those first of which the operator reports a failure.
func (p pages) namespaces(r *http.Request) (ui.Page, error) {
	i, err := p.inquire(r.Context(), "")
	if err != nil {
		return ui.Page{}, err
	}
	rules, err := i.cluster.Rules(r.Context(), p.scope, metav1.ListOptions{})
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{Title: titleNamespaces, Unknown: mayNotList(rules.Unknown)}
	page.Listing = &ui.Listing{
		Title: "All namespaces", Empty: "You may list none.",
		Note: "A namespace has failed if the status of a rule names it; a status names 20 at most.",
	}
	all, err := i.cluster.AllNamespaces().All(r.Context())
	if access.IsUnknown(err) {
		page.Unknown, err = append(page.Unknown, "you may not list namespaces"), nil
	}
	failing := failedIn(rules.Items, i.settings)
	for n := range all {
		row := ui.Row{Group: "others", Cells: []ui.Cell{{Text: all[n].Name, Link: namespacePath(all[n].Name)}}}
		if failing[all[n].Name] {
			row.Group, row.Tone = failed, ui.Bad
		}
		page.Listing.Rows = append(page.Listing.Rows, row)
	}
	slices.SortStableFunc(page.Listing.Rows, func(a, b ui.Row) int { return cmp.Compare(a.Group, b.Group) })
	return page, err
}

// failedIn returns the namespaces of which the rules report a failure.
func failedIn(rules []access.Rule, settings access.Settings) map[string]bool {
	failing := map[string]bool{}
	for _, rule := range rules {
		switch object := rule.Object.(type) {
		case *v1.ClusterProjection:
			for _, failure := range object.Status.Failures {
				failing[failure.Namespace] = true
			}
		case *v1.Projection:
			if infoOf(rule, settings).tone() == ui.Bad {
				failing[rule.Namespace] = true
			}
		}
	}
	return failing
}

// namespacePage shows each copy in a namespace, and the rules that report that they have none there.
func (p pages) namespacePage(r *http.Request) (ui.Page, error) {
	name := r.PathValue("namespace")
	i, err := p.inquire(r.Context(), name)
	if err != nil {
		return ui.Page{}, err
	}
	rules, err := i.cluster.Rules(r.Context(), name, metav1.ListOptions{})
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{Title: "Namespace " + name, Unknown: mayNotList(rules.Unknown)}
	page.Facts = []ui.Fact{ui.Named("Labels", ui.Text(labelsOf(r.Context(), i.cluster, name)))}
	if failures := p.failuresIn(rules.Items, name, i.settings); len(failures.Rows) > 0 {
		page.Sections = append(page.Sections, failures)
	}
	copies, hidden, err := i.copiesIn(r.Context(), rules.Items)
	if err != nil {
		return ui.Page{}, err
	}
	page.Unknown = append(page.Unknown, mayNotList(hidden)...)
	page.Listing = &ui.Listing{
		Title: "Copies", Empty: "There are no copies.", Columns: ui.Columns("Object", "State", "Rule", "Source", "Other writers"),
	}
	for _, found := range copies {
		page.Listing.Rows = append(page.Listing.Rows, rowOfCopy(found))
	}
	slices.SortStableFunc(page.Listing.Rows, func(a, b ui.Row) int { return cmp.Compare(rankOf(a.Tone), rankOf(b.Tone)) })
	return page, nil
}

func labelsOf(ctx context.Context, cluster *access.Cluster, name string) string {
	all, err := cluster.OneNamespace(name).All(ctx)
	if err != nil || len(all) == 0 {
		return unknownValue
	}
	return strings.ReplaceAll(metav1.FormatLabelSelector(&metav1.LabelSelector{MatchLabels: all[0].Labels}), ",", ", ")
}

// failuresIn shows the rules that report a failure in the namespace.
func (p pages) failuresIn(rules []access.Rule, namespace string, settings access.Settings) ui.Section {
	section := ui.Section{Title: "What is wrong", Columns: ui.Columns("Rule", "Reason", "Message")}
	for _, rule := range rules {
		info := infoOf(rule, settings)
		failure := forecast.ReportedIn(rule, namespace)
		if rule.Kind.Namespaced && rule.Namespace == namespace && info.tone() == ui.Bad {
			failure = &v1.NamespaceFailure{Reason: info.reason(), Message: info.Message}
		}
		if failure != nil {
			section.Rows = append(section.Rows, []ui.Cell{
				{Text: info.String(), Link: info.path("in", namespace), Tone: ui.Bad}, ui.Text(failure.Reason), ui.Text(failure.Message),
			})
		}
	}
	return section
}

// copiesIn returns the objects in the namespace with a label of copies, and the resources that the caller may not list.
func (i inquiry) copiesIn(ctx context.Context, rules []access.Rule) (found []objectReport, hidden []string, err error) {
	kinds, err := kindsOfCopies(i.cluster.Mapper, rules)
	if err != nil {
		return nil, nil, err
	}
	owners := i.owners(ctx, rules)
	seen := map[types.UID]bool{} // an object can have both labels
	for _, kind := range kinds {
		for _, ruleKind := range []owner.RuleKind{owner.ClusterProjection, owner.Projection} {
			options := metav1.ListOptions{LabelSelector: ruleKind.Label}
			err := i.cluster.EachMetadata(ctx, kind.Resource, i.namespace, options, func(object *metav1.PartialObjectMetadata) error {
				if seen[object.UID] {
					return nil
				}
				seen[object.UID] = true
				at := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
				report := objectReport{Object: forecast.ObjectOf(kind.GroupVersionKind.GroupKind(), at), State: isNoCopy}
				err := owners.addTo(ctx, &report, object)
				found = append(found, report)
				return err
			})
			if access.IsUnknown(err) {
				hidden = append(hidden, kind.Resource.GroupResource().String()+" in the namespace "+i.namespace)
				break
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return found, hidden, nil
}

func rowOfCopy(found objectReport) ui.Row {
	row := ui.Row{Group: found.Object.Kind, Tone: found.tone()}
	state, rule, source := ui.Cell{Text: found.state(), Tone: found.tone()}, ui.Cell{}, ui.Cell{}
	if found.Rule != nil {
		rule = ui.Cell{Text: found.Rule.String(), Link: found.Rule.path()}
	}
	if found.Source != nil {
		source = objectCell(*found.Source)
	}
	row.Cells = []ui.Cell{objectCell(found.Object), state, rule, source, ui.Text(strings.Join(found.OtherWriters, ", "))}
	return row
}
