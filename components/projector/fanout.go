package projector

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
)

// Fanout are the copies that rules of a kind have in other clusters, which branches write.
type Fanout[O owner.Object] interface {
	// Clusters returns the clusters that the rule copies into, and those of the names that are recorded, in alphabetical order. It leaves out the
	// cluster of the rule. An error says that they are not known.
	Clusters(ctx context.Context, rule O, recorded []string) ([]DestinationCluster, error)
	// Hub returns what is known of the RemoteClusters that are the cluster of the rule. An error says that it is not known.
	Hub(ctx context.Context, rule O) (HubCluster, error)
	// Reconcile has the branch of the cluster reconcile the rule, unless it was asked since the rule was changed.
	Reconcile(rule O, cluster string)
	// Renew has the branch of the cluster reconcile the rule again, whatever it has reported: the rule records the cluster anew.
	Renew(rule types.NamespacedName, cluster string)
	// Reported returns what the branch of the cluster reported last of the rule; false: nothing, or the cluster is another one now.
	Reported(rule types.NamespacedName, cluster string) (ClusterReport[O], bool)
	// Unrecord reports whether the branch of the cluster reported last that the rule, as it is, has no copies there and is to have none. If so, the
	// branch writes none until Reconcile is called for a rule that records the cluster.
	Unrecord(rule O, cluster string) bool
	// Claim has the RemoteCluster wait for the rules that have copies there when it is deleted. It is called before the rule records the cluster.
	Claim(ctx context.Context, cluster string) error
	// GiveUp notes in the RemoteCluster that the rule, which is being deleted, leaves copies of these kinds in the cluster with that identity. It reports
	// whether there was a place to note it.
	GiveUp(ctx context.Context, rule O, cluster, identity string, kinds []schema.GroupKind) (noted bool, err error)
	// Report sets in the status what is known of each cluster that the rule copies into. If it counts, it adds the numbers of copies there to those in
	// the cluster of the rule.
	Report(rule O, clusters []ClusterState[O], counts bool, has func(field string) bool)
	// Forget ends what is held for a rule that is gone.
	Forget(rule types.NamespacedName)
}

// DestinationCluster is a cluster that a rule copies into, or may have copies in.
type DestinationCluster struct {
	Name string
	// Identity is the uid of its namespace kube-system; empty: it is not known.
	Identity string
	// IsTarget reports whether the rule copies into it.
	IsTarget bool
	// Err is why it cannot be used now, an Error of the package plan; nil: it can.
	Err *plan.Error
	// Forbidden is why copies of the rule may not be written there; nil: they may. Those that are there may be deleted.
	Forbidden *plan.Error
	// ReleaseAfter is for how long a rule that is being deleted waits for it; 0: until somebody decides.
	ReleaseAfter time.Duration
	// LeftSince is when its RemoteCluster was deleted; zero: it was not.
	LeftSince time.Time
}

// ClusterReport is what a branch reported of a rule.
type ClusterReport[O owner.Object] struct {
	Report
	// Status has the status of the rule as if there were no other clusters.
	Status O
}

// ClusterState is what is known of the copies in a cluster that a rule copies into.
type ClusterState[O owner.Object] struct {
	DestinationCluster
	// Reported is what the branch reported last; nil: nothing about the rule as it is.
	Reported *ClusterReport[O]
}

// KindsIn returns the kinds of which the rule may have copies in the cluster of that name.
func KindsIn(rule client.Object, cluster string) []schema.GroupKind {
	if RecordedIdentity(rule, cluster) == "" {
		return nil
	}
	return recordedKinds(rule)
}

// abandoned returns the clusters that somebody has the rule not wait for.
func abandoned(rule client.Object) sets.Set[string] {
	names := sets.New[string]()
	for name := range strings.SplitSeq(rule.GetAnnotations()[v1.AnnotationAbandon], ",") {
		names.Insert(strings.TrimSpace(name))
	}
	return names
}

// hasClusters reports whether the rule names the clusters of its copies.
func (s *scope[O]) hasClusters() bool {
	return s.adapter.HasClusters != nil && s.adapter.HasClusters(s.rule)
}

// resolveClusters finds out which other clusters the rule copies into, and may have copies in.
func (s *scope[O]) resolveClusters(ctx context.Context) error {
	if s.branch != nil || !s.hasClusters() && len(s.recorded()) == 0 {
		return nil
	}
	recorded := maps.Clone(s.recorded())
	if s.adapter.Fanout == nil {
		for name := range abandoned(s.rule) {
			delete(recorded, name)
		}
		if !s.hasClusters() && len(recorded) == 0 {
			return nil
		}
		return &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
			Reason:  v1.ReasonRemoteClustersDisabled,
			Message: "the rule copies into other clusters, and this operator runs without --remote-clusters", Copies: policy.CopiesKept,
			Advice: "have an administrator set the flag, or remove destination.clusters",
		}}
	}
	maps.DeleteFunc(recorded, func(_, identity string) bool { return identity == s.hub.Identity })
	clusters, err := s.adapter.Fanout.Clusters(ctx, s.rule, slices.Collect(maps.Keys(recorded)))
	if err == nil {
		err = s.resolveHere(ctx)
	}
	if err != nil {
		return plan.Failed(v1.ConditionDestinationWritten, policy.Problem{
			Reason: v1.ReasonClusterUnreachable, Message: "the RemoteClusters are not known", Copies: policy.CopiesKept,
		}, err)
	}
	s.clusters = clusters
	return nil
}

// recordClusters sets the annotation that lists the clusters in which the rule may have copies. A cluster is added before anything is written there,
// and removed when nothing is left there, or when somebody gives up what is left.
func (s *scope[O]) recordClusters() {
	if s.branch != nil {
		return
	}
	recorded, givenUp := maps.Clone(s.recorded()), abandoned(s.rule)
	if len(s.clusters) == 0 {
		recorded = s.hereRecorded()
	}
	s.recordHere(recorded)
	for _, cluster := range s.clusters {
		switch {
		case cluster.IsTarget && !givenUp.Has(cluster.Name):
			if !s.mayCopyInto(cluster) || recorded[cluster.Name] == cluster.Identity {
				continue
			}
			if cluster.isAnother(recorded[cluster.Name]) {
				s.emitReplaced(cluster.Name)
			}
			recorded[cluster.Name] = cluster.Identity
			s.adapter.Fanout.Renew(s.id.Key(), cluster.Name) // that there was nothing left, or that all was in sync, does not hold any more
		case givenUp.Has(cluster.Name), s.hasLeft(cluster):
			delete(recorded, cluster.Name)
		case cluster.isAnother(recorded[cluster.Name]):
			s.emitReplaced(cluster.Name)
			delete(recorded, cluster.Name)
		}
	}
	s.setRecorded(recorded)
}

// dispatch has the branches reconcile the rule in the clusters that it records. It is called at the end of each reconcile: an opt-out holds even if the
// rule cannot be carried out.
func (s *scope[O]) dispatch() {
	if s.branch != nil {
		return
	}
	recorded := s.recorded()
	for _, cluster := range s.clusters {
		if cluster.Err == nil && (recorded[cluster.Name] == cluster.Identity || s.isSuspended() && cluster.IsTarget) {
			s.adapter.Fanout.Reconcile(s.rule, cluster.Name)
		}
	}
}

// reportOf returns what the branch of the cluster reported of this rule, and not of an earlier one with the same name.
func (s *scope[O]) reportOf(cluster DestinationCluster) (ClusterReport[O], bool) {
	report, found := s.adapter.Fanout.Reported(s.id.Key(), cluster.Name)
	return report, found && report.Rule == s.rule.GetUID() && (cluster.Identity == "" || report.Cluster == cluster.Identity)
}

// isAnother reports whether the cluster is another one than that which a rule has recorded by its name. As long as it cannot be used, that is not known:
// its RemoteCluster may name a wrong identity.
func (c DestinationCluster) isAnother(recorded string) bool {
	return c.Err == nil && c.Identity != "" && recorded != "" && recorded != c.Identity
}

// emitReplaced says by an event that the rule no longer records the cluster that a RemoteCluster stood for.
func (s *scope[O]) emitReplaced(name string) {
	s.emitGivenUp(name, "the RemoteCluster is another cluster now; the copies in the former one stay as they are")
}

// hasLeft reports whether the rule has no copies in a cluster that it does not copy into. The branch there writes none after that, until the rule records
// the cluster again.
func (s *scope[O]) hasLeft(cluster DestinationCluster) bool {
	_, reported := s.reportOf(cluster)
	return reported && s.adapter.Fanout.Unrecord(s.rule, cluster.Name)
}

// kindsInClusters returns the kinds of which there may be copies in other clusters, and whether they are known.
func (s *scope[O]) kindsInClusters() (kinds []schema.GroupKind, known bool) {
	recorded := s.recorded()
	for _, cluster := range s.clusters {
		if recorded[cluster.Name] == "" {
			continue
		}
		report, found := s.reportOf(cluster)
		if !found || report.Kinds == nil || report.Generation != s.rule.GetGeneration() {
			return nil, false
		}
		kinds = append(kinds, report.Kinds...)
	}
	return kinds, true
}
