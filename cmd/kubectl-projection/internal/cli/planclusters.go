package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// clusterNotes say into which clusters the rule would copy. They are made without a request, unless the rule copies into other clusters, or has done so.
func clusterNotes(ctx context.Context, cluster *access.Cluster, planned access.Planned) ([]string, error) {
	wasPushed := planned.Before != nil && planned.Before.Clusters != nil
	if planned.Rule.Clusters == nil && !wasPushed {
		return nil, nil
	}
	remotes, err := cluster.RemoteClusters(ctx)
	switch {
	case access.IsUnknown(err):
		return []string{unknownValue + " you may not list remoteclusters: into which clusters the rule copies is not known"}, nil
	case errors.Is(err, access.ErrNoRemoteClusters):
		return []string{"the API server does not serve remoteclusters.projection.sh: the rule copies into no cluster"}, nil
	case err != nil:
		return nil, err
	}
	return clustersPlanned(planned, remotes), nil
}

// clustersPlanned says into which of the clusters the rule would copy, and what changes about that.
func clustersPlanned(planned access.Planned, remotes []*v1alpha1.RemoteCluster) (notes []string) {
	after := planned.Rule.ClustersAmong(remotes)
	var before []string
	if planned.Before != nil {
		before = planned.Before.ClustersAmong(remotes)
		before = slices.Compact(slices.Sorted(slices.Values(append(before, planned.Before.WrittenClusters()...))))
	}
	var kept, missing []string
	for _, name := range after {
		if !slices.ContainsFunc(remotes, func(remote *v1alpha1.RemoteCluster) bool { return remote.Name == name }) {
			missing = append(missing, name)
		} else if slices.Contains(before, name) {
			kept = append(kept, name)
		}
	}
	added := without(without(after, kept), missing)
	for _, group := range []struct {
		names []string
		text  string
	}{
		{kept, "copies into clusters as before: "},
		{added, "copies into clusters, new: "},
		{missing, "there is no RemoteCluster of the name, so that there is no copy until there is one: "},
		{without(before, after), "no longer copies into clusters, where its copies end: "},
	} {
		if len(group.names) > 0 {
			notes = append(notes, group.text+strings.Join(group.names, ", "))
		}
	}
	if planned.Rule.Clusters != nil && len(after) == 0 {
		notes = append(notes, "destination.clusters.selector selects none of "+count(len(remotes), "RemoteCluster", "RemoteClusters"))
	}
	return notes
}

// without returns the names that are not among the others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}
