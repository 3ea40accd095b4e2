package forecast

import (
	"fmt"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

// elsewhereError says that the source or the copies of a rule are in other clusters: what the rule wants depends on what only the operator reads.
type elsewhereError struct {
	message string
	// cluster is the one to look at; empty: there is none, or there are several.
	cluster string
}

// inOtherClusters returns why nothing is known of the rule; nil: its source and its copies are in this cluster.
func inOtherClusters(rule access.Rule) error {
	switch {
	case rule.Clusters != nil:
		return &elsewhereError{"the copies are in other clusters, which this command does not read; " + reported(rule), troubled(rule)}
	case rule.SourceCluster != "":
		return &elsewhereError{"the source is in the cluster " + rule.SourceCluster + ", which this command does not read", rule.SourceCluster}
	default:
		return nil
	}
}

func (e *elsewhereError) Error() string { return e.message }

// verdict returns what is known of a rule without what is in other clusters.
func (e *elsewhereError) verdict() Verdict {
	verdict := unknown(e.message)
	verdict.Next = "see what the operator reports of the rule, and of the clusters: kubectl projection clusters"
	if e.cluster != "" {
		verdict.Next = "see what the operator reports of the rule, and of the cluster: kubectl projection clusters " + e.cluster
	}
	return verdict
}

// reported says what the operator reports of the clusters that the rule copies into.
func reported(rule access.Rule) string {
	counts, _ := rule.Reported()
	switch {
	case counts == nil:
		return "the operator has reported nothing of them"
	case !rule.IsObserved():
		return "the operator reports of the rule as it was before: " + ClustersCounted(*counts)
	default:
		return "the operator reports " + ClustersCounted(*counts)
	}
}

// ClustersCounted says how many clusters have their copies, and what is the matter with the others.
func ClustersCounted(counts v1.ClusterCounts) string {
	noun := "clusters"
	if counts.Targeted == 1 {
		noun = "cluster"
	}
	parts := []string{fmt.Sprintf("%d of %d %s in sync", counts.InSync, counts.Targeted, noun)}
	for _, group := range []struct {
		number int32
		are    string
	}{
		{counts.Failed, "failed"},
		{counts.Unreachable, "not reached"},
		{counts.Targeted - counts.InSync - counts.Failed - counts.Unreachable, "waiting"},
	} {
		if group.number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", group.number, group.are))
		}
	}
	return strings.Join(parts, ", ")
}

// troubled returns the cluster of which the operator reports a failure; empty: there is none, or there are several.
func troubled(rule access.Rule) string {
	counts, failures := rule.Reported()
	if counts == nil || counts.Failed+counts.Unreachable != 1 || len(failures) == 0 {
		return ""
	}
	return failures[0].Cluster
}
