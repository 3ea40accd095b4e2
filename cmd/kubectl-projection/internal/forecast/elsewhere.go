package forecast

import "projection.sh/operator/cmd/kubectl-projection/internal/access"

// elsewhereError says that the source or the copies of a rule are in other clusters: what the rule wants depends on what only the operator reads.
type elsewhereError struct {
	message string
	// cluster is the one that the message names; empty: there may be several.
	cluster string
}

// inOtherClusters returns why nothing is known of the rule; nil: its source and its copies are in this cluster.
func inOtherClusters(rule access.Rule) error {
	switch {
	case rule.Clusters != nil:
		return &elsewhereError{message: "the copies are in other clusters, which this command does not read"}
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
