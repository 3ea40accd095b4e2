package push

import (
	"slices"

	"k8s.io/utils/ptr"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/projector"
)

// Report implements projector.Fanout. The counts of namespaces are those of all clusters.
func (c *Clusters) Report(of rule, clusters []projector.ClusterState[rule], counts bool, has func(field string) bool) {
	if of.Spec.Destination.Clusters == nil || !has("clusters") {
		return
	}
	count := &v1.ClusterCounts{}
	for _, cluster := range clusters {
		count.Targeted++
		problem := cluster.Problem()
		switch {
		case problem.IsZero():
			count.InSync++
		case problem.Reason == v1.ReasonClusterUnreachable:
			count.Unreachable++
		case cluster.IsFailure():
			count.Failed++
		}
		if counts && cluster.Reported != nil {
			addCounts(&of.Status, &cluster.Reported.Status.Status)
		}
		addFailures(of, cluster)
	}
	of.Status.Clusters = count
}

// addCounts adds what the status of one cluster counts.
func addCounts(to, from *v1.ClusterProjectionStatus) {
	for _, counter := range []struct{ to, from **int32 }{
		{&to.NamespacesTargeted, &from.NamespacesTargeted}, {&to.NamespacesWritten, &from.NamespacesWritten},
		{&to.NamespacesFailed, &from.NamespacesFailed}, {&to.NamespacesHeld, &from.NamespacesHeld}, {&to.NamespacesSkipped, &from.NamespacesSkipped},
	} {
		if *counter.from != nil {
			*counter.to = new(ptr.Deref(*counter.to, 0) + **counter.from)
		}
	}
	for _, reason := range from.FailureReasons {
		at := slices.IndexFunc(to.FailureReasons, func(known v1.ReasonCount) bool { return known.Reason == reason.Reason })
		if at >= 0 {
			to.FailureReasons[at].Count += reason.Count
		} else if len(to.FailureReasons) < v1.MaxFailureReasons {
			to.FailureReasons = append(to.FailureReasons, reason)
		}
	}
}

// addFailures adds what has failed in a cluster, as far as there is room.
func addFailures(of rule, cluster projector.ClusterState[rule]) {
	var failures []v1.ClusterFailure
	switch problem := cluster.Problem(); {
	case !cluster.IsFailure():
		return
	case cluster.IsStopped() || len(cluster.Reported.Status.Status.Failures) == 0:
		failures = append(failures, v1.ClusterFailure{Cluster: cluster.Name, Reason: problem.Reason, Message: problem.Sentence()})
	default:
		for _, failure := range cluster.Reported.Status.Status.Failures {
			failures = append(failures, v1.ClusterFailure{
				Cluster: cluster.Name, Namespace: failure.Namespace, Reason: failure.Reason, Message: failure.Message,
			})
		}
	}
	room := v1.MaxClusterFailures - len(of.Status.ClusterFailures)
	of.Status.ClusterFailures = append(of.Status.ClusterFailures, failures[:min(room, len(failures))]...)
}
