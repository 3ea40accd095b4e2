package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

// failuresIn returns the failures of the whole cluster, and those in its namespace. An empty name stands for all clusters, or all namespaces.
func failuresIn(failures []v1.ClusterFailure, cluster, namespace string) []v1.ClusterFailure {
	return slices.DeleteFunc(slices.Clone(failures), func(failure v1.ClusterFailure) bool {
		return cluster != "" && failure.Cluster != cluster || namespace != "" && failure.Namespace != "" && failure.Namespace != namespace
	})
}

// clusters says how many of the clusters have their copies; empty: the copies are in this cluster.
func (i ruleInfo) clusters() string {
	switch {
	case !i.isPushed:
		return ""
	case i.Clusters == nil:
		return "the operator has reported nothing of them"
	default:
		return forecast.ClustersCounted(*i.Clusters)
	}
}

// printClusters says what the operator reports of the clusters that the rule copies into.
func (i ruleInfo) printClusters(w io.Writer) error {
	if !i.isPushed {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\nClusters: %s\n", i.clusters()); err != nil {
		return err
	}
	return printClusterFailures(w, i.ClusterFailures)
}

// printClusterFailures lists what the operator reports of other clusters.
func printClusterFailures(w io.Writer, failures []v1.ClusterFailure) error {
	if len(failures) == 0 {
		return nil
	}
	rows := make([][]string, len(failures))
	for i, failure := range failures {
		rows[i] = []string{failure.Cluster, failure.Namespace, failure.Reason, failure.Message}
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return (&output{}).table(w, columns("Cluster", "Namespace", "Reason", "Message"), rows)
}

// stateFailed is the state of a cluster in a tree, of which the operator reports a failure.
const stateFailed = "Failed"

// clusterRows returns the rows of a tree about the clusters that the rule copies into.
func (i ruleInfo) clusterRows() (rows [][]string) {
	if i.Clusters == nil {
		return nil
	}
	if inSync := int(i.Clusters.InSync); inSync > 0 {
		rows = append(rows, []string{count(inSync, "cluster", "clusters"), string(forecast.InSync), "", "", "as the operator reports"})
	}
	for _, failure := range i.ClusterFailures {
		name := "cluster " + failure.Cluster
		if failure.Namespace != "" {
			name += ", namespace " + failure.Namespace
		}
		rows = append(rows, []string{name, stateFailed, failure.Reason, "", failure.Message})
	}
	return rows
}

// remoteRule names the rule that the mark of a copy in another cluster names: <hub id>/<kind>/<name>.
func remoteRule(mark string) string {
	hub, rule, _ := strings.Cut(mark, "/")
	kind, name, isWhole := strings.Cut(rule, "/")
	if !isWhole {
		return "of a rule that the annotation " + v1.AnnotationOwnedByRemote + " does not name"
	}
	return "of the " + kind + " " + name + " of the cluster with the hub id " + hub
}
