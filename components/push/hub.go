package push

import (
	"context"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector"
)

// hubs are the RemoteClusters that are the cluster of the rules itself, as one rule sees them.
type hubs struct {
	targets []*v1alpha1.RemoteCluster // by which the rule copies there
	former  []*v1alpha1.RemoteCluster // by which it is recorded to do so, and no longer does
	// vanished is the name of one by which it is recorded to do so, and may still; empty: there is none.
	vanished string
}

// hubsOf returns the RemoteClusters that are the cluster of the rule.
func (c *Clusters) hubsOf(ctx context.Context, of rule) (found hubs, err error) {
	remotes, err := c.remotes(ctx)
	if err != nil {
		return found, unknown(err)
	}
	recorded, selects := projector.ClustersRecordedAs(of, c.options.Hub.Identity), selectionOf(of)
	for i := range remotes {
		remote := &remotes[i]
		at := slices.Index(recorded, remote.Name)
		if at >= 0 {
			recorded = slices.Delete(recorded, at, at+1)
		}
		switch {
		case !c.isHub(remote):
		case selects(remote) && !c.isLeaving(remote):
			found.targets = append(found.targets, remote)
		case at >= 0:
			found.former = append(found.former, remote)
		}
	}
	if at := slices.IndexFunc(recorded, func(name string) bool { return maySelect(of, name) }); at >= 0 && len(found.targets) == 0 {
		found.vanished = recorded[at]
	}
	return found, nil
}

// maySelect reports whether destination.clusters of the rule names a RemoteCluster of which nothing but the name is known, or might select it.
func maySelect(of rule, name string) bool {
	targets := of.Spec.Destination.Clusters
	if targets == nil {
		return false
	}
	return slices.Contains(targets.Names, name) || targets.Selector != nil && !slices.Contains(targets.Except, name)
}

// Hub implements projector.Fanout.
func (c *Clusters) Hub(ctx context.Context, of rule) (projector.HubCluster, error) {
	if of.Spec.Destination.Clusters == nil {
		return projector.HubCluster{}, nil
	}
	found, err := c.hubsOf(ctx, of)
	if err != nil {
		return projector.HubCluster{}, err
	}
	hub, spec := projector.HubCluster{}, clusterprojection.SpecOf(of)
	for _, remote := range found.targets {
		hub.Names = append(hub.Names, remote.Name)
		hub.Forbidden = outOfScope(remote, spec)
	}
	for _, remote := range slices.Concat(found.targets, found.former) {
		if remote.Spec.Paused {
			hub.Err = paused(remote)
		}
	}
	for _, remote := range found.former {
		if c.isLeaving(remote) {
			hub.Leaves = c.leaves(remote.Name)
		}
	}
	if found.vanished != "" && of.DeletionTimestamp == nil {
		hub.Err = notFound(found.vanished)
	}
	return hub, nil
}

// HubScope says which copies the rule is to have in its own cluster.
func (c *Clusters) HubScope(of rule) (clusterprojection.Scope, error) {
	if of.Spec.Destination.Clusters == nil {
		return clusterprojection.Scope{IsTarget: true}, nil
	}
	found, err := c.hubsOf(c.ctx, of)
	switch {
	case err != nil:
		return clusterprojection.Scope{}, err
	case found.vanished != "" && of.DeletionTimestamp == nil:
		return clusterprojection.Scope{}, notFound(found.vanished)
	case len(found.targets) == 0:
		return clusterprojection.Scope{IsTarget: found.vanished != ""}, nil // of a rule that is being deleted: where it may have copies
	}
	return clusterprojection.Scope{IsTarget: true, Excludes: func(namespace string) string { return excludes(found.targets[0], namespace) }}, nil
}

// notFound is the error of a rule that copies by a RemoteCluster that does not exist.
func notFound(name string) *plan.Error {
	return stop(v1.ReasonClusterNotFound, "there is no RemoteCluster "+name, "create it, or correct destination.clusters")
}
