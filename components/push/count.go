package push

import (
	"context"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/projector"
)

// count writes how many rules use the cluster, and how many copies and orphans there are, if that is known and has changed. The copies are those of the
// kinds that rules copy there.
func (c *Clusters) count(ctx context.Context, remote *v1alpha1.RemoteCluster, recording []string) error {
	rules, err := c.countRules(ctx, remote.Name, recording)
	if err != nil {
		return err
	}
	copies, orphans := remote.Status.Copies, remote.Status.Orphans
	if branch := c.openBranch(remote.Name); branch != nil && c.haveReported(remote.Name, recording) {
		exists, err := c.ruleNames(ctx)
		if err != nil {
			return err
		}
		copies, orphans = countCopies(branch.inventory.CountByOwner(), remote.Status.Owed, exists)
		if c.options.IsShard {
			orphans = 0
		}
	}
	return client.IgnoreNotFound(c.changeStatus(ctx, remote.Name, func(status *v1alpha1.RemoteClusterStatus) {
		status.Rules, status.Copies, status.Orphans = rules, copies, orphans
	}))
}

// countRules returns the number of rules that copy from the cluster, or may have copies there.
func (c *Clusters) countRules(ctx context.Context, cluster string, recording []string) (int32, error) {
	var tenants v1.ProjectionList
	if err := c.options.Client.List(ctx, &tenants, projector.SourcesIn(cluster), client.UnsafeDisableDeepCopy); err != nil {
		return 0, err
	}
	var platform v1.ClusterProjectionList
	if err := c.options.Client.List(ctx, &platform, projector.SourcesIn(cluster), client.UnsafeDisableDeepCopy); err != nil {
		return 0, err
	}
	count := len(tenants.Items) + len(recording)
	for i := range platform.Items {
		if !slices.Contains(recording, platform.Items[i].Name) {
			count++
		}
	}
	return bounded(count), nil
}

// haveReported reports whether the branch of the cluster has reconciled each of the rules since the operator was started. Before that, it does not watch
// all kinds of copies.
func (c *Clusters) haveReported(cluster string, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, found := c.Reported(types.NamespacedName{Name: name}, cluster)
		return !found
	})
}

// ruleNames returns the names of the ClusterProjections.
func (c *Clusters) ruleNames(ctx context.Context) (map[string]bool, error) {
	list := &v1.ClusterProjectionList{}
	if err := c.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(list.Items))
	for i := range list.Items {
		names[list.Items[i].Name] = true
	}
	return names, nil
}

// countCopies returns how many of the objects belong to rules that exist, and how many to rules that nobody knows. Those that are owed count as neither.
func countCopies(byOwner map[types.NamespacedName]int, owed []v1alpha1.OwedCopies, exists map[string]bool) (copies, orphans int32) {
	var ours, others int
	for rule, count := range byOwner {
		isOwed := slices.ContainsFunc(owed, func(debt v1alpha1.OwedCopies) bool { return debt.Rule == v1.KindClusterProjection+"/"+rule.Name })
		switch {
		case exists[rule.Name]:
			ours += count
		case !isOwed:
			others += count
		}
	}
	return bounded(ours), bounded(others)
}

func bounded(count int) int32 { return int32(min(count, math.MaxInt32)) } //nolint:gosec // it is bounded
