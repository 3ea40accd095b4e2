package projector

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// Leaving says what becomes of the copies in a cluster whose RemoteCluster is being deleted.
type Leaving int

// What becomes of them.
const (
	Stays   Leaving = iota // the cluster does not leave
	Deletes                // they are deleted
	Orphans                // they are made ordinary objects
)

// isLeft reports whether this is the branch of a cluster that leaves.
func (s *scope[O]) isLeft() bool { return s.branch != nil && s.branch.Leaves() != Stays }

// leave deletes the copies of the rule in a cluster that leaves, or makes them ordinary objects, whether the rule can be carried out or not. A copy whose
// source is known to be opted out is deleted in any case.
func (s *scope[O]) leave(ctx context.Context) error {
	if err := s.checkBranch(ctx); err != nil {
		return err
	}
	dispose := func(copySet, destination.Copy) plan.Disposal { return plan.DeleteIt }
	if s.branch.Leaves() == Orphans {
		consents, err := s.consents(ctx)
		if err != nil {
			return err
		}
		if consents {
			dispose = func(copySet, destination.Copy) plan.Disposal { return plan.OrphanIt }
		}
	}
	inventoryErr, notEnded := s.local.loadRecordedInventory(ctx), error(nil)
	for _, set := range s.local.sets {
		copies, err := s.local.allCopies(ctx, set, func(of copySet, copied destination.Copy) plan.Disposal {
			if s.local.revoked[of.target(copied.NamespacedName)] {
				return plan.LeaveIt
			}
			return dispose(of, copied)
		})
		if err != nil {
			return s.unlisted(err)
		}
		notEnded = cmp.Or(notEnded, s.local.endCopies(ctx, set, copies, nil))
	}
	if notEnded != nil {
		return notEnded
	}
	if err := joinErrors(s.local.removals); err != nil || s.local.isPending() {
		return err
	}
	if inventoryErr != nil {
		return s.unlisted(inventoryErr)
	}
	s.report.IsClear = true
	return nil
}

// consents reports whether the owner of the source consents. It deletes the copies that an owner does not permit. An error says that it is not known:
// nobody would delete a copy that is an ordinary object if its owner has opted out.
func (s *scope[O]) consents(ctx context.Context) (bool, error) {
	for _, phase := range []func(context.Context) error{s.checkCluster, s.resolveKind, s.readSources, s.checkConsent, s.revoke} {
		if err := phase(ctx); err != nil {
			return false, err
		}
	}
	return s.spec.Selects() || !s.named().hasNoConsent(), nil
}

// stopped is why no copies of the rule are written in a cluster that it copies into; nil: they are.
func (c DestinationCluster) stopped() *plan.Error {
	if c.Err == nil && c.IsTarget {
		return c.Forbidden
	}
	return c.Err
}

// IsStopped reports whether no copies of the rule are written there.
func (c DestinationCluster) IsStopped() bool { return c.stopped() != nil }

// mayCopyInto reports whether copies are written into a cluster that the rule copies into.
func (s *scope[O]) mayCopyInto(cluster DestinationCluster) bool {
	return cluster.stopped() == nil && !s.isSuspended()
}

// claimClusters has the RemoteClusters wait for the rule that it is about to copy into. Into others nothing is copied.
func (s *scope[O]) claimClusters(ctx context.Context) {
	for i := range s.clusters {
		cluster := &s.clusters[i]
		if !cluster.IsTarget || !s.mayCopyInto(*cluster) {
			continue
		}
		if err := s.adapter.Fanout.Claim(ctx, cluster.Name); err != nil {
			cluster.Err = s.unclaimed(cluster.Name, err)
		}
	}
}

// unclaimed is the error of a rule that copies into no cluster whose RemoteCluster would not wait for it.
func (s *scope[O]) unclaimed(cluster string, err error) *plan.Error {
	return &plan.Error{Condition: v1.ConditionDestinationWritten, Transient: true, Err: err, RequeueAfter: s.config.Requeue, Problem: policy.Problem{
		Reason: v1.ReasonDestinationWriteFailed, Message: "the finalizer of the RemoteCluster " + cluster + " cannot be set",
		Copies: policy.CopiesKept, Advice: "permit the operator to patch remoteclusters",
	}}
}

// letGo takes the clusters from the record of the rule that leave, or that somebody gives up: if no copy is left there, or if the rule no longer waits.
// It does so whatever else becomes of the rule.
func (s *scope[O]) letGo(ctx context.Context) error {
	if s.branch != nil {
		return nil
	}
	before, givenUpBy := s.recorded(), abandoned(s.rule)
	left := maps.Clone(before)
	var givenUp []string
	for _, cluster := range s.clusters {
		released, _ := s.isReleased(cluster)
		switch {
		case before[cluster.Name] == "":
		case givenUpBy.Has(cluster.Name), released:
			givenUp = append(givenUp, cluster.Name)
			delete(left, cluster.Name)
		case s.hasOtherName(cluster, before), !cluster.LeftSince.IsZero() && s.hasLeft(cluster):
			delete(left, cluster.Name)
		}
	}
	for name := range s.hereRecorded() {
		if s.here.Leaves != Stays && givenUpBy.Has(name) {
			delete(left, name)
		}
	}
	if len(left) == len(before) {
		return nil
	}
	base := s.rule.DeepCopyObject().(O)
	s.setRecorded(left)
	if err := s.patch(ctx, base); err != nil {
		return err
	}
	for _, name := range givenUp {
		s.emitGivenUp(name, "the rule copies nothing into it, and leaves the copies there as they are")
	}
	return nil
}

// hasOtherName reports whether there is no RemoteCluster any more by which the cluster was recorded, and the rule records it by another one.
func (s *scope[O]) hasOtherName(gone DestinationCluster, recorded map[string]string) bool {
	return gone.Err != nil && gone.Err.Reason == v1.ReasonClusterNotFound && slices.ContainsFunc(s.clusters, func(other DestinationCluster) bool {
		return other.Name != gone.Name && other.Err == nil && other.Identity == recorded[gone.Name] && recorded[other.Name] == other.Identity
	})
}

// giveUp ends that a rule which is being deleted waits for the cluster.
func (s *scope[O]) giveUp(ctx context.Context, cluster, identity string) error {
	noted, err := s.adapter.Fanout.GiveUp(ctx, s.rule, cluster, identity, recordedKinds(s.rule))
	if err != nil {
		return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason: v1.ReasonClusterUnreachable, Message: "it cannot be noted in the RemoteCluster " + cluster + " that copies are left there",
		}, err)
	}
	if noted {
		s.emitGivenUp(cluster, "they are deleted when the cluster is reached again; status.owed of the RemoteCluster lists them")
	} else {
		s.emitGivenUp(cluster, "status.owed of the RemoteCluster does not list them: there is none, or the list is full; delete them there")
	}
	return nil
}

// emitGivenUp says by an event which objects may be left in the cluster, and what becomes of them.
func (s *scope[O]) emitGivenUp(cluster, outcome string) {
	kind := s.id.Kind.In(cluster, s.hub.ID)
	s.emit(corev1.EventTypeWarning, v1.ReasonCopiesGivenUp, actionGiveUp, "no longer waits for the cluster "+cluster+"; left there may be objects of the kinds "+
		kindNames(recordedKinds(s.rule))+" with the label "+kind.Label+"="+string(s.id.UID)+"; "+outcome, nil)
}

// isReleased reports whether the rule has waited long enough for a cluster since the rule was deleted, or since the RemoteCluster was, and else for how
// long it still waits; 0: until somebody decides.
func (s *scope[O]) isReleased(cluster DestinationCluster) (released bool, after time.Duration) {
	since := cluster.LeftSince
	if s.isDeleting() && (since.IsZero() || s.rule.GetDeletionTimestamp().Time.Before(since)) {
		since = s.rule.GetDeletionTimestamp().Time
	}
	if cluster.Err == nil || cluster.ReleaseAfter == 0 || since.IsZero() {
		return false, 0
	}
	waited := s.clock().Sub(since)
	return waited >= cluster.ReleaseAfter, max(0, cluster.ReleaseAfter-waited)
}

// SourcesIn returns the option that lists the rules with their source in that cluster.
func SourcesIn(cluster string) client.ListOption { return client.MatchingFields{byCluster: cluster} }

// ClustersRecordedAs returns those of the clusters in which the rule may have copies that have the identity.
func ClustersRecordedAs(rule client.Object, identity string) (names []string) {
	for name, recorded := range recordedClusters(rule) {
		if recorded == identity {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// RecordedClusters returns the names of the clusters in which the rule may have copies.
func RecordedClusters(rule client.Object) []string {
	return slices.Sorted(maps.Keys(recordedClusters(rule)))
}
