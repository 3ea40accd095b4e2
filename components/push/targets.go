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
	remotes, err := c.remotes(ctx)
	if err != nil {
		return nil, err
	}
	targets, declared := c.targetsOf(of, remotes), make(map[string]*v1alpha1.RemoteCluster, len(remotes))
	for i := range remotes {
		declared[remotes[i].Name] = &remotes[i]
	}
	names := maps.Clone(targets)
	for _, name := range recorded {
		if _, found := names[name]; !found {
			names[name] = false
		}
	}
	c.noteClusters(of, len(names))
	spec, found := clusterprojection.SpecOf(of), make([]projector.DestinationCluster, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		cluster := projector.DestinationCluster{Name: name, IsTarget: targets[name], Err: notFound(name)}
		if declared[name] != nil {
			c.look(&cluster, declared[name], spec)
		}
		found = append(found, cluster)
	}
	return found, nil
}

// look finds out what is known of a cluster that is declared.
func (c *Clusters) look(cluster *projector.DestinationCluster, declared *v1alpha1.RemoteCluster, spec owner.Spec) {
	member, _ := c.options.Registry.Get(declared.Name)
	if member != nil {
		cluster.Identity = string(member.Identity())
	}
	cluster.ReleaseAfter = declared.Spec.Absence.ReleaseAfter()
	if c.isLeaving(declared) {
		cluster.LeftSince = declared.DeletionTimestamp.Time
	}
	cluster.Forbidden, cluster.Err = forbidden(declared, spec), asPlanError(c.refused(declared, member))
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

// remotes returns all RemoteClusters from the cache. They must not be changed.
func (c *Clusters) remotes(ctx context.Context) ([]v1alpha1.RemoteCluster, error) {
	list := &v1alpha1.RemoteClusterList{}
	err := c.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy)
	return list.Items, err
}

// targetsOf returns the names of the other clusters that the rule copies into.
func (c *Clusters) targetsOf(of rule, remotes []v1alpha1.RemoteCluster) map[string]bool {
	names := map[string]bool{}
	if of.Spec.Destination.Clusters == nil {
		return names
	}
	for _, name := range of.Spec.Destination.Clusters.Names {
		names[name] = true
	}
	selects := selectionOf(of)
	for i := range remotes {
		switch remote := &remotes[i]; {
		case c.isHub(remote), c.isLeaving(remote):
			delete(names, remote.Name)
		case selects(remote):
			names[remote.Name] = true
		}
	}
	return names
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
	selector := selectorOf(targets.Selector.LabelSelector())
	return func(remote *v1alpha1.RemoteCluster) bool {
		return selector.Matches(labels.Set(remote.Labels)) && !slices.Contains(targets.Except, remote.Name)
	}
}

// selectorOf returns the selector. The CRD has validated it.
func selectorOf(of *metav1.LabelSelector) labels.Selector {
	if len(of.MatchExpressions) == 0 {
		return labels.SelectorFromValidatedSet(of.MatchLabels)
	}
	selector, err := metav1.LabelSelectorAsSelector(of)
	if err != nil {
		return labels.Nothing()
	}
	return selector
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
