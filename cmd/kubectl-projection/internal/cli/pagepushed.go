package cli

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// Groups of clusters on the page of a rule.
const (
	groupNotReached = "not reached"
	groupInSync     = "in sync"
	groupWaiting    = "waiting"
	groupUncounted  = "in sync or waiting"
	groupHere       = "this cluster" // its copies are counted with namespaces, and not among the clusters
	groupEnding     = "no longer wanted"
)

// pushed shows what the operator reports of a rule whose copies are in other clusters. These are not asked.
func (p pages) pushed(r *http.Request, i inquiry, rule access.Rule) (ui.Page, error) {
	info := infoOf(rule, i.settings)
	page := ui.Page{
		Title: rule.String(), Tone: info.tone(), Lead: info.Message, Facts: factsOf(rule, info), Progress: progressOfClusters(info),
		Listing: &ui.Listing{
			Title: titleClusters, Empty: "The rule copies into no cluster.", Note: "This is what the operator reports. The copies there are not read.",
		},
	}
	page.Facts = append(page.Facts, ui.Named("Copies into", ui.Text(clustersNamed(rule.Clusters))))
	if len(info.ClusterFailures) > 0 {
		page.Sections = append(page.Sections, sectionOfFailures(info.ClusterFailures))
	}
	remotes, err := p.selectable(r, i, rule, &page)
	if err != nil {
		return ui.Page{}, err
	}
	page.Listing.Rows = clusterTiles(rule, info, remotes)
	spec, err := specText(rule)
	page.After = []ui.Section{p.conditions(rule.Object.GetCommonStatus().Conditions), {Title: "Spec", Text: spec}}
	return page, err
}

// selectable returns the RemoteClusters if the rule selects some. Nothing is asked if it names them.
func (p pages) selectable(r *http.Request, i inquiry, rule access.Rule, page *ui.Page) ([]*v1alpha1.RemoteCluster, error) {
	if rule.Clusters.Selector == nil {
		return nil, nil
	}
	remotes, err := i.cluster.RemoteClusters(r.Context())
	if access.IsUnknown(err) || errors.Is(err, access.ErrNoRemoteClusters) {
		page.Unknown = append(page.Unknown, "you may not list remoteclusters: only those are shown of which the operator reports something")
		return nil, nil
	}
	return remotes, err
}

// clustersNamed says which clusters are meant.
func clustersNamed(clusters *v1.ClusterTargets) string {
	if clusters.Selector == nil {
		return strings.Join(clusters.Names, ", ")
	}
	text := "RemoteClusters with " + metav1.FormatLabelSelector(clusters.Selector.LabelSelector())
	if len(clusters.Selector.MatchLabels)+len(clusters.Selector.MatchExpressions) == 0 {
		text = "all RemoteClusters"
	}
	if len(clusters.Except) > 0 {
		text += ", except " + strings.Join(clusters.Except, ", ")
	}
	return text
}

func progressOfClusters(info ruleInfo) *ui.Progress {
	counts := info.Clusters
	if counts == nil || counts.Targeted == 0 {
		return nil
	}
	rest := max(counts.Targeted-counts.InSync-counts.Failed-counts.Unreachable, 0)
	return &ui.Progress{Label: info.clusters(), Parts: []ui.Part{
		{Tone: ui.Good, Count: int(counts.InSync)}, {Tone: ui.Waiting, Count: int(rest)}, {Tone: ui.Bad, Count: int(counts.Failed + counts.Unreachable)},
	}}
}

// sectionOfFailures shows what the operator reports of other clusters.
func sectionOfFailures(failures []v1.ClusterFailure) ui.Section {
	section := ui.Section{Title: "What is wrong", Columns: ui.Columns("Cluster", "Namespace", "Reason", "Message", "What it means")}
	if len(failures) == v1.MaxClusterFailures {
		section.Note = "These are the first; the status names no more."
	}
	for _, failure := range failures {
		cluster := clusterCell(failure.Cluster)
		cluster.Tone = ui.Bad
		section.Rows = append(section.Rows, []ui.Cell{
			cluster, ui.Text(failure.Namespace), ui.Text(failure.Reason), ui.Text(failure.Message), ui.Text(reasons()[failure.Reason]),
		})
	}
	return section
}

// clusterTiles returns a tile for each cluster that the rule copies into, or may still have copies in, the worst first.
func clusterTiles(rule access.Rule, info ruleInfo, remotes []*v1alpha1.RemoteCluster) (rows []ui.Row) {
	groups := map[string]string{}
	for _, failure := range slices.Backward(info.ClusterFailures) {
		groups[failure.Cluster] = failed
		if failure.Reason == v1.ReasonClusterUnreachable {
			groups[failure.Cluster] = groupNotReached
		}
	}
	wanted := rule.ClustersAmong(remotes)
	groupThisCluster(groups, wanted, remotes)
	isKnown := rule.Clusters.Selector == nil || remotes != nil
	others := groupOfOthers(rule, info, len(without(wanted, keysOf(groups))))
	for _, name := range wanted {
		if groups[name] == "" {
			groups[name] = others
		}
	}
	for _, name := range rule.WrittenClusters() {
		switch {
		case groups[name] != "":
		case isKnown:
			groups[name] = groupEnding
		default:
			groups[name] = groupUncounted
		}
	}
	tones := []struct {
		group string
		tone  ui.Tone
	}{
		{failed, ui.Bad}, {groupNotReached, ui.Bad}, {groupWaiting, ui.Waiting}, {groupEnding, ui.Waiting}, {groupUncounted, ui.Unknown}, {groupHere, ui.Plain},
		{groupInSync, ui.Good},
	}
	for _, shown := range tones {
		for _, name := range keysOf(groups) {
			if groups[name] == shown.group {
				rows = append(rows, ui.Row{Group: shown.group, Tone: shown.tone, Cells: []ui.Cell{clusterCell(name)}})
			}
		}
	}
	return rows
}

// groupThisCluster gives the RemoteClusters that are this cluster their group.
func groupThisCluster(groups map[string]string, wanted []string, remotes []*v1alpha1.RemoteCluster) {
	for _, remote := range remotes {
		if remote.Spec.Access.InCluster != nil && slices.Contains(wanted, remote.Name) {
			groups[remote.Name] = groupHere
		}
	}
}

// groupOfOthers returns the group of the clusters of which no failure is reported. The status counts them, and does not name them.
func groupOfOthers(rule access.Rule, info ruleInfo, others int) string {
	switch counts := info.Clusters; {
	case counts == nil || counts.InSync == 0:
		return groupWaiting
	case rule.IsObserved() && int(counts.InSync) == others:
		return groupInSync
	default:
		return groupUncounted
	}
}

func keysOf(groups map[string]string) []string {
	keys := make([]string, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
