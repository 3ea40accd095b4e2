package cli

import (
	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// severalFailures is the note of a box of a cluster in which several things have failed.
const severalFailures = "several reasons"

// otherNamespaces are those of failures that have no box.
const otherNamespaces = "other namespaces"

// threadOf returns what the rule copies, and where its copies are by their states, as the operator reports them.
func threadOf(rule access.Rule, info ruleInfo) ui.Thread {
	thread := ui.Thread{
		Self: ui.Node{Cell: ui.Cell{Text: info.String(), Link: info.path(), Tone: info.tone()}, Note: info.copies() + " copies in sync"},
		From: []ui.Node{{Cell: ui.Cell{Text: sourceNamed(rule), Link: info.sourcePath()}}},
	}
	if rule.SourceCluster != "" {
		thread.From[0].Note = "in another cluster"
	}
	for _, layer := range rule.Spec.Merge.Layers {
		thread.From = append(thread.From, ui.Node{Cell: objectCell(forecast.SourceOf(layer.Source)), Note: "layer"})
	}
	parts := partsOf(info, rule.IsObserved())
	if info.isPushed {
		thread.Self.Note = info.copies() + " in sync"
		thread.To, parts = failedClusters(info), partsOfClusters(info, rule.IsObserved())
	} else {
		thread.To = failuresShown(rule, info)
	}
	for _, part := range parts {
		if part.Count > 0 {
			thread.To = append(thread.To, part)
		}
	}
	return thread
}

// sourceNamed names what the rule copies, without its layers.
func sourceNamed(rule access.Rule) string {
	rule.Spec.Merge.Layers = nil
	return sourceOf(rule)
}

// failuresShown returns the namespaces of which the rule reports a failure, and one box for those that the status does not name.
func failuresShown(rule access.Rule, info ruleInfo) (nodes []ui.Node) {
	object, isOfCluster := rule.Object.(*v1.ClusterProjection)
	if !isOfCluster {
		if info.tone() == ui.Bad {
			nodes = append(nodes, ui.Node{Cell: ui.Cell{Text: rule.Namespace, Link: namespacePath(rule.Namespace), Tone: ui.Bad}, Note: info.reason()})
		}
		return nodes
	}
	for _, failure := range object.Status.Failures {
		cell := ui.Cell{Text: failure.Namespace, Link: namespacePath(failure.Namespace), Tone: ui.Bad}
		nodes = append(nodes, ui.Node{Cell: cell, Note: failure.Reason})
	}
	if rest := int(info.Failed) - len(object.Status.Failures); rest > 0 {
		nodes = append(nodes, ui.Node{Cell: ui.Cell{Text: otherNamespaces, Tone: ui.Bad}, Count: rest, One: "failed", Many: "failed"})
	}
	return nodes
}

// partsOf returns the copies of the rule that have not failed, in groups. What the operator reported of an earlier rule, or of one that it does not serve,
// may not be so any more.
func partsOf(info ruleInfo, isObserved bool) []ui.Node {
	inSync, rest := 0, 0
	waiting, done := ui.Cell{Text: "not in sync yet", Tone: ui.Waiting}, ui.Cell{Text: "in sync", Tone: ui.Good}
	if info.NotServed || info.Deleted || !isObserved {
		done = ui.Cell{Text: "reported in sync", Tone: ui.Unknown}
	}
	if info.InSync != nil {
		inSync = int(*info.InSync)
	} else {
		waiting = ui.Cell{Text: "not counted", Tone: ui.Unknown}
	}
	if info.Wanted != nil {
		rest = int(*info.Wanted) - inSync - int(info.Failed)
	}
	switch {
	case info.Suspended:
		waiting = ui.Cell{Text: "suspended", Tone: ui.Off}
	case info.tone() == ui.Bad && info.Failed == 0:
		rest = 0 // the rule itself has failed
	}
	return []ui.Node{
		{Cell: waiting, Count: rest, One: "copy", Many: "copies"},
		{Cell: done, Count: inSync, One: "copy", Many: "copies"},
		{Cell: ui.Cell{Text: "left out", Tone: ui.Off}, Count: int(info.skipped), One: "namespace", Many: "namespaces"},
	}
}

// failedClusters returns the clusters of which the rule reports a failure, each once, and one box for those that the status does not name.
func failedClusters(info ruleInfo) (nodes []ui.Node) {
	at := map[string]int{}
	for _, failure := range info.ClusterFailures {
		if n, isThere := at[failure.Cluster]; isThere {
			if nodes[n].Note != failure.Reason {
				nodes[n].Note = severalFailures
			}
			continue
		}
		at[failure.Cluster] = len(nodes)
		cell := ui.Cell{Text: "cluster " + failure.Cluster, Link: clusterPath(failure.Cluster), Tone: ui.Bad}
		nodes = append(nodes, ui.Node{Cell: cell, Note: failure.Reason})
	}
	if info.Clusters == nil {
		return nodes
	}
	if rest := int(info.Clusters.Failed+info.Clusters.Unreachable) - len(nodes); rest > 0 {
		nodes = append(nodes, ui.Node{Cell: ui.Cell{Text: "other clusters", Tone: ui.Bad}, Count: rest, One: failed, Many: failed})
	}
	return nodes
}

// partsOfClusters returns the clusters of the rule that have not failed, in groups.
func partsOfClusters(info ruleInfo, isObserved bool) []ui.Node {
	counts := info.Clusters
	if counts == nil {
		return []ui.Node{{Cell: ui.Cell{Text: "clusters, not counted", Tone: ui.Unknown}, Note: "the operator has reported nothing"}}
	}
	done, waiting := ui.Cell{Text: "clusters in sync", Tone: ui.Good}, ui.Cell{Text: "clusters not in sync yet", Tone: ui.Waiting}
	if info.NotServed || info.Deleted || !isObserved {
		done = ui.Cell{Text: "clusters reported in sync", Tone: ui.Unknown}
	}
	if info.Suspended {
		waiting = ui.Cell{Text: "clusters, suspended", Tone: ui.Off}
	}
	return []ui.Node{
		{Cell: waiting, Count: int(counts.Targeted - counts.InSync - counts.Failed - counts.Unreachable), One: "cluster", Many: "clusters"},
		{Cell: done, Count: int(counts.InSync), One: "cluster", Many: "clusters"},
	}
}
