package push

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

const (
	// maxOwed and maxOwedKinds are how many entries status.owed may have, and how many kinds an entry.
	maxOwed, maxOwedKinds = 256, 64
	// actionPay is the action of events about debts.
	actionPay = "Pay"
	// payTime is how long a payment may take. What is left then is paid by the next one.
	payTime = 10 * time.Minute
)

// GiveUp implements projector.Fanout. If there is no place, what the rule leaves is counted as orphans.
func (c *Clusters) GiveUp(ctx context.Context, of rule, cluster, identity string, kinds []schema.GroupKind) (noted bool, err error) {
	debt := v1alpha1.OwedCopies{UID: string(of.UID), Identity: identity, Rule: v1.KindClusterProjection + "/" + of.Name}
	for _, kind := range kinds {
		debt.Kinds = append(debt.Kinds, kind.String())
	}
	err = c.changeStatus(ctx, cluster, func(status *v1alpha1.RemoteClusterStatus) {
		status.Owed, noted = withDebt(status.Owed, debt)
	})
	return noted && err == nil, client.IgnoreNotFound(err)
}

// withDebt returns the debts with one more, and whether there was a place. A rule has a place for what it has left in one cluster.
func withDebt(owed []v1alpha1.OwedCopies, debt v1alpha1.OwedCopies) (with []v1alpha1.OwedCopies, noted bool) {
	owed = slices.Clone(owed)
	at := slices.IndexFunc(owed, func(known v1alpha1.OwedCopies) bool { return known.UID == debt.UID })
	if at < 0 {
		if len(owed) >= maxOwed {
			return owed, false
		}
		at, owed = len(owed), append(owed, v1alpha1.OwedCopies{UID: debt.UID, Identity: debt.Identity, Rule: debt.Rule})
	}
	if owed[at].Identity != debt.Identity {
		return owed, false
	}
	all := slices.Concat(owed[at].Kinds, debt.Kinds)
	slices.Sort(all)
	all = slices.Compact(all)
	owed[at].Kinds = all[:min(len(all), maxOwedKinds)]
	return owed, len(all) <= maxOwedKinds
}

// withoutDebts divides the debts into those that remain and those that were paid, by uid.
func withoutDebts(owed []v1alpha1.OwedCopies, paid map[string]string) (remain, struck []v1alpha1.OwedCopies) {
	for _, debt := range owed {
		if _, isPaid := paid[debt.UID]; isPaid {
			struck = append(struck, debt)
		} else {
			remain = append(remain, debt)
		}
	}
	return remain, struck
}

// isIn reports whether the copies are in the cluster that the RemoteCluster stands for.
func isIn(debt v1alpha1.OwedCopies, remote *v1alpha1.RemoteCluster) bool {
	return debt.Identity == "" || debt.Identity == remote.Status.Identity
}

// owesHere reports whether rules have left copies in the cluster that the RemoteCluster stands for.
func owesHere(remote *v1alpha1.RemoteCluster) bool {
	return slices.ContainsFunc(remote.Status.Owed, func(debt v1alpha1.OwedCopies) bool { return isIn(debt, remote) })
}

// changeStatus changes the status of a RemoteCluster, which others write, too.
func (c *Clusters) changeStatus(ctx context.Context, cluster string, change func(*v1alpha1.RemoteClusterStatus)) error {
	reader := client.Reader(c.options.Client)
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		remote := &v1alpha1.RemoteCluster{}
		if err := reader.Get(ctx, client.ObjectKey{Name: cluster}, remote); err != nil {
			return err
		}
		reader = c.options.Hub.Live // if the cache is behind
		before := remote.DeepCopy()
		change(&remote.Status)
		if equality.Semantic.DeepEqual(before.Status, remote.Status) {
			return nil
		}
		return c.options.Client.Status().Update(ctx, remote)
	})
}
