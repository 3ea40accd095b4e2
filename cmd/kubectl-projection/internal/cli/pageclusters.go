package cli

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// titleClusters is the title of what is about other clusters.
const titleClusters = "Clusters"

// clusterPath returns the address of the page about the RemoteCluster.
func clusterPath(name string) string { return ui.Path("clusters", name) }

func clusterCell(name string) ui.Cell { return ui.Cell{Text: name, Link: clusterPath(name)} }

// tone says how the RemoteCluster is.
func (i clusterInfo) tone() ui.Tone {
	switch {
	case i.remote.Spec.Paused:
		return ui.Off
	case i.Ready == string(metav1.ConditionTrue):
		return ui.Good
	case i.Ready == string(metav1.ConditionFalse):
		return ui.Bad
	default:
		return ui.Waiting
	}
}

// group is the group of the RemoteCluster on the page of all.
func (i clusterInfo) group() string {
	if i.tone() == ui.Off {
		return v1alpha1.ReasonPaused
	}
	return groupsOfRules[rankOf(i.tone())].name
}

// clusterList shows what clusters prints.
func (p pages) clusterList(r *http.Request) (ui.Page, error) {
	i, err := p.inquire(r.Context(), "")
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{
		Title: titleClusters, Facts: []ui.Fact{ui.Named("In a terminal", ui.Command("kubectl projection clusters"))},
		Listing: &ui.Listing{
			Title: "RemoteClusters", Empty: "There are no RemoteClusters.",
			Columns: ui.Columns("Cluster", "Reason", "Version", "Rules from it", "Copies here", "Rules into it", "Copies there", "Credentials", "Message"),
		},
	}
	remotes, err := i.cluster.RemoteClusters(r.Context())
	if isHidden := p.hides(&page, err, "list remoteclusters"); isHidden || err != nil {
		return page, unless(isHidden, err)
	}
	found, err := p.clusterReport(r.Context(), i, remotes, &page)
	if err != nil {
		return ui.Page{}, err
	}
	for _, info := range found.Clusters {
		message := ""
		if info.tone() != ui.Good {
			message = info.because()
		}
		credentials := ui.Text(info.credentials(p.now()))
		if info.expiresSoon(p.now()) {
			credentials.Tone = ui.Bad
		}
		page.Listing.Rows = append(page.Listing.Rows, ui.Row{Group: info.group(), Tone: info.tone(), Cells: []ui.Cell{
			{Text: info.Name, Link: clusterPath(info.Name), Tone: info.tone()}, ui.Text(info.Reason), ui.Text(info.Version),
			ui.Text(info.rules()), ui.Text(info.copies()), ui.Text(info.pushes()), ui.Text(number(&info.CopiesThere)), credentials, ui.Text(message),
		}})
	}
	slices.SortStableFunc(page.Listing.Rows, func(a, b ui.Row) int { return cmp.Compare(rankOf(a.Tone), rankOf(b.Tone)) })
	return page, nil
}

// clusterReport returns what the operator reports of the RemoteClusters, and says on the page what is not known.
func (p pages) clusterReport(ctx context.Context, i inquiry, remotes []*v1alpha1.RemoteCluster, page *ui.Page) (*clustersReport, error) {
	rules, err := i.cluster.Rules(ctx, p.scope, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	found := p.clustersReportOf(remotes, rules, i.settings)
	page.Unknown = append(page.Unknown, mayNotList(rules.Unknown)...)
	if p.scope != "" && page.Listing != nil {
		page.Listing.Note = "Of the Projections, those of the namespace " + p.scope + " are counted."
	}
	if found.Served != nil && !*found.Served {
		page.Lead = operatorConnectsNowhere
	}
	return found, nil
}

// hides reports whether the caller may not see RemoteClusters, or there are none to see, and says so on the page. Nothing else is asked then.
func (p pages) hides(page *ui.Page, err error, doing string) bool {
	switch {
	case errors.Is(err, access.ErrNoRemoteClusters):
		page.Lead, page.Listing = "The API server does not serve RemoteClusters: this cluster is connected to no other one.", nil
		return true
	case access.IsUnknown(err):
		page.Unknown, page.Listing = append(page.Unknown, "you may not "+doing), nil
		return true
	default:
		return false
	}
}

func unless(isExcused bool, err error) error {
	if isExcused {
		return nil
	}
	return err
}

// clusterPage shows what clusters prints of one RemoteCluster.
func (p pages) clusterPage(r *http.Request) (ui.Page, error) {
	name := r.PathValue("name")
	i, err := p.inquire(r.Context(), "")
	if err != nil {
		return ui.Page{}, err
	}
	page := ui.Page{Title: "RemoteCluster " + name, Listing: &ui.Listing{
		Title: "Rules that use it", Empty: "No rule copies from it or into it.",
		Columns: ui.Columns("Rule", "Direction", "Source", "Copies in sync", "Reason", "Message"),
	}}
	remote, err := i.cluster.RemoteCluster(r.Context(), name)
	if isHidden := p.hides(&page, err, "read the RemoteCluster "+name); isHidden || err != nil {
		page.Tone = ui.Unknown
		return page, unless(isHidden, err)
	}
	found, err := p.clusterReport(r.Context(), i, []*v1alpha1.RemoteCluster{remote}, &page)
	if err != nil {
		return ui.Page{}, err
	}
	info := found.Clusters[0]
	page.Tone, page.Lead, page.Facts = info.tone(), cmp.Or(page.Lead, info.because()), p.factsOfCluster(info)
	if failures := info.failures(); len(failures) > 0 {
		section := ui.Section{Title: "Reported of copies in it", Columns: ui.Columns("Rule", "Namespace", "Reason", "Message", "What it means")}
		for _, failure := range failures {
			section.Rows = append(section.Rows, []ui.Cell{
				{Text: failure.rule.String(), Link: failure.rule.path(), Tone: ui.Bad}, ui.Text(failure.Namespace), ui.Text(failure.Reason),
				ui.Text(failure.Message), ui.Text(reasons()[failure.Reason]),
			})
		}
		page.Sections = append(page.Sections, section)
	}
	for _, direction := range []struct {
		name  string
		rules []ruleInfo
	}{{"copy from it", info.Rules}, {"copy into it", info.Pushes}} {
		for _, rule := range direction.rules {
			page.Listing.Rows = append(page.Listing.Rows, ui.Row{Group: direction.name, Cells: []ui.Cell{
				{Text: rule.String(), Link: rule.path(), Tone: rule.tone()}, ui.Text(direction.name), ui.Text(rule.Source), ui.Text(rule.copies()),
				ui.Text(rule.reason()), ui.Text(rule.Message),
			}})
		}
	}
	page.After = []ui.Section{p.conditions(info.Conditions)}
	return page, nil
}

func (p pages) factsOfCluster(info clusterInfo) []ui.Fact {
	credentials := ui.Text(info.credentials(p.now()))
	if info.expiresSoon(p.now()) {
		credentials.Tone = ui.Bad
	}
	return []ui.Fact{
		ui.Named("Status", ui.Text(info.state())), ui.Named("Next", ui.Text(info.next())), ui.Named("Version", ui.Text(info.Version)),
		ui.Named("Identity", ui.Text(info.Identity)), ui.Named("Kubeconfig", ui.Text(info.kubeconfig())), ui.Named("Credentials", credentials),
		ui.Named("Namespaces", ui.Text(info.namespaces())), ui.Named("Copies here", ui.Text(info.copies())),
		ui.Named("Copies there", ui.Text(info.copiesThere())), ui.Named("Orphans", ui.Text(info.orphans())), ui.Named("Owed", ui.Text(info.owed())),
		ui.Named("In a terminal", ui.Command("kubectl projection clusters "+info.Name)),
	}
}
