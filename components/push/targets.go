package push

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector"
)

// Clusters implements projector.Fanout.
func (c *Clusters) Clusters(ctx context.Context, of rule, recorded []string) ([]projector.DestinationCluster, error) {
	targets, err := c.targetsOf(ctx, of)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(targets)
	for _, name := range recorded {
		if _, found := names[name]; !found {
			names[name] = false
		}
	}
	spec, found := clusterprojection.SpecOf(of), make([]projector.DestinationCluster, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		found = append(found, c.destination(ctx, name, targets[name], spec))
	}
	return found, nil
}

// destination returns what is known of a cluster.
func (c *Clusters) destination(ctx context.Context, name string, isTarget bool, spec owner.Spec) projector.DestinationCluster {
	cluster := projector.DestinationCluster{Name: name, IsTarget: isTarget}
	member, _ := c.options.Registry.Get(name)
	if member != nil {
		cluster.Identity = string(member.Identity())
	}
	if declared, err := c.declared(ctx, name); err == nil {
		cluster.ReleaseAfter = declared.Spec.Absence.ReleaseAfter()
		if c.isLeaving(declared) {
			cluster.LeftSince = declared.DeletionTimestamp.Time
		}
		cluster.Forbidden = forbidden(declared, spec)
	}
	cluster.Err = asPlanError(c.denied(ctx, name, member))
	return cluster
}

// asPlanError returns the error as one that the status can report.
func asPlanError(err error) *plan.Error {
	var stopped *plan.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &stopped):
		return stopped
	default: // it may be between two connections
		return &plan.Error{Condition: v1.ConditionDestinationWritten, Transient: true, Err: err, Problem: policy.Problem{
			Reason: v1.ReasonDestinationWriteInProgress, Message: "the connection to the cluster has just ended",
		}}
	}
}

// targetsOf returns the names of the other clusters that the rule copies into.
func (c *Clusters) targetsOf(ctx context.Context, of rule) (map[string]bool, error) {
	names := map[string]bool{}
	if of.Spec.Destination.Clusters == nil {
		return names, nil
	}
	list := &v1alpha1.RemoteClusterList{}
	if err := c.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	for _, name := range of.Spec.Destination.Clusters.Names {
		names[name] = true
	}
	selects := selectionOf(of)
	for i := range list.Items {
		switch remote := &list.Items[i]; {
		case c.isHub(remote), c.isLeaving(remote):
			delete(names, remote.Name)
		case selects(remote):
			names[remote.Name] = true
		}
	}
	return names, nil
}

// isHub reports whether the RemoteCluster is the cluster of the rules itself.
func (c *Clusters) isHub(remote *v1alpha1.RemoteCluster) bool {
	return remote.Spec.Access.InCluster != nil || cmp.Or(remote.Spec.Identity, remote.Status.Identity) == c.options.Hub.Identity
}

// selects reports whether destination.clusters of the rule names or selects the RemoteCluster.
func selects(of rule, remote *v1alpha1.RemoteCluster) bool {
	if targets := of.Spec.Destination.Clusters; targets != nil && targets.Selector == nil {
		return slices.Contains(targets.Names, remote.Name)
	}
	return selectionOf(of)(remote)
}

// selectionOf returns selects for many RemoteClusters.
func selectionOf(of rule) func(*v1alpha1.RemoteCluster) bool {
	targets := of.Spec.Destination.Clusters
	switch {
	case targets == nil:
		return func(*v1alpha1.RemoteCluster) bool { return false }
	case targets.Selector == nil:
		names := sets.New(targets.Names...)
		return func(remote *v1alpha1.RemoteCluster) bool { return names.Has(remote.Name) }
	}
	selector, err := metav1.LabelSelectorAsSelector(targets.Selector.LabelSelector())
	if err != nil { // the CRD refuses it
		return func(*v1alpha1.RemoteCluster) bool { return false }
	}
	return func(remote *v1alpha1.RemoteCluster) bool {
		return selector.Matches(labels.Set(remote.Labels)) && !slices.Contains(targets.Except, remote.Name)
	}
}

// isTarget reports whether the rule copies into the cluster. If the RemoteCluster is not known, or there is none, that is not known.
func (c *Clusters) isTarget(of rule, name string) (bool, error) {
	scope, err := c.scopeOf(of, name)
	return scope.IsTarget, err
}

// scopeOf says which copies the rule is to have in the cluster, as isTarget does.
func (c *Clusters) scopeOf(of rule, name string) (clusterprojection.Scope, error) {
	declared, err := c.known(c.ctx, name)
	if err != nil {
		return clusterprojection.Scope{}, err
	}
	return clusterprojection.Scope{
		IsTarget: !c.isLeaving(declared) && !c.isHub(declared) && selects(of, declared),
		Excludes: func(namespace string) string { return excludes(declared, namespace) },
	}, nil
}

// mayConcern reports whether the rule may copy into the cluster, or may have copies there.
func mayConcern(of rule, cluster string) bool {
	targets := of.Spec.Destination.Clusters
	return targets != nil && (targets.Selector != nil || slices.Contains(targets.Names, cluster)) ||
		projector.RecordedIdentity(of, cluster) != ""
}
