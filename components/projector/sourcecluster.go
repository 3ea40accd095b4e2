package projector

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// SourceCluster is a cluster that sources are read from. The fields Objects, Resolver, Reader, Sources and Reads are required.
type SourceCluster struct {
	Objects  *watch.Objects // the watches behind Sources
	Resolver *source.Resolver
	Reader   *source.Reader
	Sources  *watch.Sources
	Reads    *lane.Lanes[Fetched] // of sources
	// Remote are the properties of a cluster that is not the one of the rules; nil: it is.
	Remote Remote
}

// Remote is what is known of another cluster.
type Remote interface {
	// Identity returns the uid of its namespace kube-system.
	Identity() string
	// Sure returns nil if the cluster that answers now is that one.
	Sure(ctx context.Context) error
	// HoldGone notes that a source of the rule does not exist any more, and returns for how long copies of it are to stay nevertheless: too many
	// sources of the cluster have vanished at once. 0: they need not.
	HoldGone(source ObjectRef) time.Duration
	// User returns in whose name sources are read there for rules of that namespace.
	User(namespace string) impersonate.User
	// Denied says why the cluster may not be used by the rule, or cannot be used now; nil: it can. It returns an Error of the package plan.
	Denied(ctx context.Context, rule owner.Identity, spec owner.Spec) error
}

// Identity returns the identity of another cluster; empty: it is the one of the rules.
func (c *SourceCluster) Identity() string {
	if c.Remote == nil {
		return ""
	}
	return c.Remote.Identity()
}

// Leave ends what the rule has begun in the cluster.
func (c *SourceCluster) Leave(rule watch.RuleKey) {
	c.Sources.Forget(rule)
	c.Reads.Take(rule)
	c.Reads.Finish(rule, c.Reads.Reserved(rule))
}

// Remote clusters are not read without the flag.
type off struct{}

func (off) Identity() string                 { return "" }
func (off) Sure(context.Context) error       { return errOff }
func (off) HoldGone(ObjectRef) time.Duration { return 0 }
func (off) User(string) impersonate.User     { return impersonate.User{} }

var errOff = errors.New("the operator runs without --remote-clusters")

func (off) Denied(_ context.Context, _ owner.Identity, spec owner.Spec) error {
	return &plan.Error{Condition: v1.ConditionSourceResolved, Err: errOff, Problem: policy.Problem{
		Reason:  v1.ReasonRemoteClustersDisabled,
		Message: "the source is in the cluster " + spec.Source.Cluster + ", and this operator runs without --remote-clusters",
		Advice:  "have an administrator set the flag, or remove source.cluster",
	}}
}

// disabled returns a cluster of which nothing is read.
func disabled(hub SourceCluster) *SourceCluster {
	hub.Remote = off{}
	return &hub
}

// sourceCluster returns the cluster of the source, and ends what the rule has begun in the one that it had before.
func (p *Projector[O]) sourceCluster(rule watch.RuleKey, source v1.SourceRef) *SourceCluster {
	from := p.home
	if source.IsRemote() {
		from = p.hub.SourceCluster(source.Cluster)
	}
	var former memory.Cluster
	p.memory.Do(rule.NamespacedName, func(r *memory.Rule) {
		if r.From != from {
			former, r.From = r.From, from
		}
	})
	if former != nil {
		former.Leave(rule)
	}
	return from
}

// byCluster is the field by which the cache finds the rules with their source in another cluster, and anyCluster what it has for all of them.
const byCluster, anyCluster = "sourceCluster", "*"

// indexByCluster is a client.IndexerFunc.
func (p *Projector[O]) indexByCluster(object client.Object) []string {
	rule, ok := object.(O)
	if !ok || !p.adapter.Spec(rule).Source.IsRemote() {
		return nil
	}
	return []string{p.adapter.Spec(rule).Source.Cluster, anyCluster}
}

// ClusterChanged enqueues the rules with their source in that cluster.
func (p *Projector[O]) ClusterChanged(ctx context.Context, cluster string) error {
	return p.enqueueRemote(ctx, cluster)
}

// NamespaceChanged enqueues the rules of the namespace with their source in another cluster, which may permit rules of other namespaces only.
func (p *Projector[O]) NamespaceChanged(ctx context.Context, namespace string) error {
	return p.enqueueRemote(ctx, anyCluster, client.InNamespace(namespace))
}

// EachRemoteSource calls the function with each source that rules have in that cluster, and the namespace of the rule; empty: it belongs to none.
func (p *Projector[O]) EachRemoteSource(ctx context.Context, cluster string, do func(namespace string, source v1.SourceRef)) error {
	return p.each(ctx, func(rule O) { do(rule.GetNamespace(), p.adapter.Spec(rule).Source) }, client.MatchingFields{byCluster: cluster})
}

func (p *Projector[O]) enqueueRemote(ctx context.Context, cluster string, options ...client.ListOption) error {
	noticed := p.clock()
	return p.each(ctx, func(rule O) {
		p.Enqueue(watch.RuleKey{Kind: p.adapter.Kind.String(), NamespacedName: client.ObjectKeyFromObject(rule)}, watch.SourceChanged, noticed)
	}, append(options, client.MatchingFields{byCluster: cluster})...)
}

// checkCluster ends the reconcile if the rule may not use the cluster of the source, or cannot use it now. Nothing follows from what is not known.
func (s *scope[O]) checkCluster(ctx context.Context) error { return s.denied(ctx) }

func (s *scope[O]) denied(ctx context.Context) error {
	if s.from.Remote == nil {
		return nil
	}
	return s.from.Remote.Denied(ctx, s.id, s.spec)
}

// reader returns in whose name a source is read that the spec names: a service account is one of the cluster of the rule.
func (s *scope[O]) reader(spec owner.Spec) impersonate.User {
	if s.from.Remote == nil {
		return spec.User()
	}
	return s.from.Remote.User(s.id.Namespace)
}

// judge returns the error of a read of another cluster as one of the cluster, if that is why. That an object does not exist is believed if the
// cluster is still the one that it was before.
func (s *scope[O]) judge(ctx context.Context, err error) error {
	if err == nil || s.from.Remote == nil {
		return err
	}
	if errors.Is(err, source.ErrNotFound) {
		unsure := s.from.Remote.Sure(ctx)
		if unsure == nil {
			return err
		}
		err = unsure
	}
	if denied := s.denied(ctx); denied != nil {
		return denied
	}
	return err
}

// holdGone returns an error if the copies of a source that does not exist any more are to stay for a while: too many sources of its cluster have
// vanished at once.
//
// Example: the other cluster is restored from a backup of an earlier day.
func (s *sourceScope[O]) holdGone() error {
	if s.from.Remote == nil || !s.rule.GetCommonStatus().MayHaveCopies() {
		return nil
	}
	hold := s.from.Remote.HoldGone(s.sourceRef())
	if hold == 0 {
		return nil
	}
	return &plan.Error{
		Condition: v1.ConditionSourceResolved, RequeueAfter: hold, Transient: true,
		Problem: policy.Problem{
			Reason:  v1.ReasonSourceDeleted,
			Message: s.kind.NameOf(s.spec.Source) + " does not exist any more, and most sources in that cluster have vanished at once",
			Copies:  "copies are kept for some minutes",
			Advice:  "if the cluster was restored from a backup, create the sources again; if they were deleted on purpose, wait",
		},
	}
}
