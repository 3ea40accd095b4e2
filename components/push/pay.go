package push

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projector"
)

// pay deletes what rules have left in the cluster, if something can be deleted there. It does not wait.
func (c *Clusters) pay(remote *v1alpha1.RemoteCluster) {
	name := remote.Name
	if !owesHere(remote) {
		return
	}
	branch := c.branchOf(name)
	if branch == nil || !c.isUsable(remote, branch.member) || string(branch.member.Identity()) != remote.Status.Identity {
		return // a change of the cluster has it tended again
	}
	c.mu.Lock()
	isBusy := c.paying[name]
	c.paying[name] = true
	c.mu.Unlock()
	if isBusy {
		return
	}
	go func() {
		err := c.catchPanic(func() error { return c.payAll(branch, remote) })
		c.mu.Lock()
		delete(c.paying, name)
		c.mu.Unlock()
		switch {
		case c.ctx.Err() != nil:
		case err != nil:
			log.FromContext(c.ctx).Error(err, "Copies that rules have left in a cluster are not deleted yet", "cluster", name)
			c.tended.AddRateLimited(name)
		default:
			c.tended.Add(name)
		}
	}()
}

// payAll pays the debts of the cluster, and strikes off those that were paid. The cluster may come from a cache that still has debts which were struck
// off before: there is no event for these.
func (c *Clusters) payAll(in *branch, remote *v1alpha1.RemoteCluster) error {
	ctx, cancel := context.WithTimeout(in.ctx, payTime)
	defer cancel()
	notes := map[string]string{}
	var errs []error
	for _, debt := range remote.Status.Owed {
		if !isIn(debt, remote) {
			continue
		}
		note, err := c.payOne(ctx, in, debt)
		if err != nil {
			errs = append(errs, fmt.Errorf("of %s: %w", debt.Rule, err))
			continue
		}
		notes[debt.UID] = note
	}
	if len(notes) == 0 {
		return errors.Join(errs...)
	}
	var struck []v1alpha1.OwedCopies
	err := c.changeStatus(in.ctx, remote.Name, func(status *v1alpha1.RemoteClusterStatus) { status.Owed, struck = withoutDebts(status.Owed, notes) })
	if err == nil {
		for _, debt := range struck {
			c.options.Hub.Recorder.Eventf(remote, debtor(debt), corev1.EventTypeNormal, v1alpha1.ReasonDebtPaid, actionPay, "%s", notes[debt.UID])
		}
	}
	return errors.Join(append(errs, client.IgnoreNotFound(err))...)
}

// debtor returns what identifies the rule that has left the copies. Events that differ only in their notes would be counted as one event.
func debtor(debt v1alpha1.OwedCopies) *v1.ClusterProjection {
	return &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: ruleName(debt), UID: types.UID(debt.UID)}}
}

func ruleName(debt v1alpha1.OwedCopies) string {
	return strings.TrimPrefix(debt.Rule, v1.KindClusterProjection+"/")
}

// errUnusable ends a payment.
var errUnusable = errors.New("nothing can be deleted in the cluster any more")

// payOne deletes the copies of one rule, or makes them ordinary objects if that is the policy of a RemoteCluster that is being deleted. It says what it did.
// What a rule with the same name has taken over is its own.
func (c *Clusters) payOne(ctx context.Context, in *branch, debt v1alpha1.OwedCopies) (note string, err error) {
	name := ruleName(debt)
	isKept, err := c.isTakenOver(ctx, in.name, debt)
	if isKept || err != nil {
		return "the copies of " + debt.Rule + " belong to the rule with that name that exists now", err
	}
	kinds, err := in.resolver.ServedKinds(ctx, kindsOf(debt))
	if err != nil {
		return "", err
	}
	orphans, count := c.leaves(in.name) == projector.Orphans, 0
	for _, kind := range kinds {
		set := destination.CopySet{
			Owner:    owner.Identity{Kind: owner.ClusterProjection.In(in.name, c.options.Hub.ID), Name: name, UID: types.UID(debt.UID)},
			Resource: kind.GroupVersionResource(), Cluster: in.name, FromSecret: true,
		}
		copies, _, err := in.writer.ListOwned(ctx, set)
		if err != nil {
			return "", err
		}
		for _, copied := range copies {
			if err := c.mayPay(ctx, in, debt); err != nil {
				return "", err
			}
			done, err := in.writer.EndListed(ctx, set, copied, orphans)
			if err != nil {
				return "", err
			}
			if done {
				count++
			}
		}
	}
	does, copies := "deleted", "copies"
	if orphans {
		does = "made ordinary objects of"
	}
	if count == 1 {
		copies = "copy"
	}
	return fmt.Sprintf("%s %d %s that %s had left there", does, count, copies, debt.Rule), nil
}

// mayPay returns an error if a payment must not go on.
func (c *Clusters) mayPay(ctx context.Context, in *branch, debt v1alpha1.OwedCopies) error {
	remote, err := c.declared(ctx, in.name)
	if err != nil {
		return err
	}
	if !c.isUsable(remote, in.member) {
		return errUnusable
	}
	isKept, err := c.isTakenOver(ctx, in.name, debt)
	if isKept {
		return errUnusable
	}
	return err
}

// isTakenOver reports whether there is another rule with the name of the one that has left the copies, which copies into the cluster, or may have
// copies there. One that is being deleted takes nothing over.
func (c *Clusters) isTakenOver(ctx context.Context, cluster string, debt v1alpha1.OwedCopies) (bool, error) {
	of, name := &v1.ClusterProjection{}, ruleName(debt)
	err := c.options.Client.Get(ctx, client.ObjectKey{Name: name}, of)
	if c.options.IsShard && apierrors.IsNotFound(err) {
		err = c.options.Hub.Live.Get(ctx, client.ObjectKey{Name: name}, of)
	}
	switch {
	case apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, err
	case string(of.UID) == debt.UID || of.DeletionTimestamp != nil:
		return false, nil
	}
	if projector.RecordedIdentity(of, cluster) != "" {
		return true, nil
	}
	return c.isTarget(of, cluster)
}

func kindsOf(debt v1alpha1.OwedCopies) []schema.GroupKind {
	kinds := make([]schema.GroupKind, len(debt.Kinds))
	for i, kind := range debt.Kinds {
		kinds[i] = schema.ParseGroupKind(kind)
	}
	return kinds
}
