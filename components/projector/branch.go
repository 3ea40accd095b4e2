package projector

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Branch is what a projector has whose copies are in another cluster than the rules. It reconciles the part of each rule that concerns that cluster,
// in a queue of its own. It writes nothing in the cluster of the rules: the projector of the rules records what is to be known after a restart before
// the first copy is written, and sums up in the status what the branches report. All fields are required.
type Branch[O owner.Object] struct {
	// Destination is what is known of the cluster.
	Destination Destination[O]
	// IsTarget reports whether the rule is to have copies in the cluster. An error, one of the package plan, says that it is not known.
	IsTarget func(rule O) (bool, error)
	// Prepare creates the namespaces that the rule is to have copies in, if it says so. Any error is an Error of the package plan: the copies in other
	// namespaces are written nevertheless.
	Prepare func(ctx context.Context, rule O) error
	// MayWrite reports whether copies of the rule may be written now: not while the projector of the rules removes the cluster from what the rule
	// records, and not after that. What was reported of a rule that has no copies there does not count after MayWrite has returned true.
	MayWrite func(rule O) bool
	// Leaves says what becomes of the copies of all rules there since the cluster leaves; Stays: it does not.
	Leaves func() Leaving
	// Restore sets the status of the rule to the one that was reported last.
	Restore func(rule O)
	// Report takes how it is with the copies of the rule, whose status says it as if there were no other clusters. It must not block.
	Report func(rule O, report Report)
}

// Destination is what is known of another cluster that copies are written to.
type Destination[O owner.Object] interface {
	// Identity returns the uid of its namespace kube-system.
	Identity() string
	// User returns in whose name copies are written there.
	User() impersonate.User
	// Denied says why nothing may be changed in the cluster for the rule, or cannot be now; nil: it can. It returns an Error of the package plan.
	Denied(ctx context.Context, spec owner.Spec) error
	// Forbidden says why copies of a rule may not be written there, if it copies into the cluster; nil: they may. Those that are there may be deleted.
	// It returns an Error of the package plan.
	Forbidden(rule O, spec owner.Spec) error
}

// Report says how it is with the copies of a rule in another cluster, besides what its status says.
type Report struct {
	// Cluster is the identity of the cluster.
	Cluster string
	// Rule is the uid of the rule, Generation its generation, and IsDeleting whether it was being deleted.
	Rule       types.UID
	Generation int64
	IsDeleting bool
	// Source is the version of the source that was read, or goneSource; empty: the rule has several, or the reconcile ended before it was read.
	Source string
	// IsClear reports whether the rule is to have no copies there, and has none.
	IsClear bool
	// Kinds are those of which there may be copies.
	Kinds []schema.GroupKind
}

// NewBranch returns the projector for the copies that rules have in another cluster, the member. It reads the rules as this one does.
func (p *Projector[O]) NewBranch(adapter Adapter[O], hub Hub, member Member, branch Branch[O]) *Projector[O] {
	adapter.Kind = p.adapter.Kind.In(member.Cluster, hub.ID)
	adapter.Fanout = nil
	b := New(adapter, hub, member, p.config)
	b.branch, b.rules, b.gate = &branch, p.rules, p.gate
	b.home = p.home
	return b
}

// Run reconciles rules in the other cluster, with that many workers, until the context ends. It begins with those that concern the cluster.
func (p *Projector[O]) Run(ctx context.Context, workers int) error {
	c, err := controller.NewUnmanaged(strings.ToLower(p.adapter.Kind.Name)+"-remote", controller.Options{
		Reconciler: p, MaxConcurrentReconciles: workers, SkipNameValidation: new(true), RateLimiter: p.rateLimiter(),
	})
	if err != nil {
		return err
	}
	err = c.Watch(source.Func(func(ctx context.Context, items workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		if err := p.queue.open(ctx, items); err != nil {
			return err
		}
		return p.EnqueueAll(ctx)
	}))
	if err != nil {
		return err
	}
	defer p.forgetRules()
	return c.Start(ctx)
}

// EnqueueAll enqueues the rules that copy into the cluster, or may have copies there.
func (p *Projector[O]) EnqueueAll(ctx context.Context) error {
	noticed := p.clock()
	return p.each(ctx, func(rule O) {
		if p.concerns(rule) {
			p.Enqueue(watch.RuleKey{Kind: p.adapter.Kind.String(), NamespacedName: client.ObjectKeyFromObject(rule)}, watch.RuleChanged, noticed)
		}
	})
}

// concerns reports whether the rule copies into the cluster of the branch, or may have copies there.
func (p *Projector[O]) concerns(rule O) bool {
	isTarget, err := p.branch.IsTarget(rule)
	return isTarget || err != nil || RecordedIdentity(rule, p.member.Cluster) != ""
}

// Forget ends what is held for a rule that is gone.
func (p *Projector[O]) Forget(rule types.NamespacedName) { p.forgetRule(rule) }

// forgetRules ends what is held for all rules.
func (p *Projector[O]) forgetRules() {
	for _, rule := range p.memory.Rules() {
		p.forgetRule(rule)
	}
}

// errNotRecorded says that a branch waits for the projector of the rules to record the cluster. That enqueues the rule.
var errNotRecorded = fmt.Errorf("the rule does not record yet that it may have copies in this cluster: %w", errWaits)

// errWaits ends a reconcile that waits for another one. It is reported nowhere.
var errWaits = errors.New("waits for another reconcile")

// checkBranch ends the reconcile if the rule may not copy into the other cluster, or cannot now. Nothing is concluded from what is not known.
func (s *scope[O]) checkBranch(ctx context.Context) error {
	if s.branch == nil {
		return nil
	}
	return s.branch.Destination.Denied(ctx, s.spec)
}

// errLeft says that the cluster of a branch leaves since the reconcile began. The rule is enqueued on account of it.
var errLeft = fmt.Errorf("the cluster leaves: %w", errWaits)

// checkStays ends the reconcile before the first deletion if the plan does not hold any more: the rule may not copy into the cluster now, or the cluster
// leaves, and what becomes of the copies is for its RemoteCluster to say.
//
// Example: a RemoteCluster that makes its copies ordinary objects is deleted while copies are written. None is planned any more from then on.
func (s *scope[O]) checkStays(ctx context.Context) error {
	if s.isLeft() {
		return errLeft
	}
	if s.branch == nil {
		return s.checkStaysHere(ctx)
	}
	return s.checkBranch(ctx)
}

// checkRecorded ends the reconcile before the first write if the rule does not record this cluster.
func (s *scope[O]) checkRecorded() error {
	if s.branch == nil || s.isSuspended() || RecordedIdentity(s.rule, s.local.member.Cluster) == s.report.Cluster {
		return nil
	}
	return errNotRecorded
}

// checkMayWrite ends the reconcile before the first write if the rule is about to record this cluster no longer.
//
// Example: a cluster is labelled for a moment. The branch reported before that the rule has no copies there, and the rule removes its record on account
// of it. A copy that the branch wrote now would be one that nobody knows of.
func (s *scope[O]) checkMayWrite(context.Context) error {
	if s.branch == nil || s.isSuspended() || len(s.local.wanted.Targets) == 0 || s.branch.MayWrite(s.rule) {
		return nil
	}
	return errNotRecorded
}

// prepare has the cluster have the namespaces of the copies. What fails is reported at the end.
func (s *scope[O]) prepare(ctx context.Context) error {
	if s.branch != nil && s.isCopied() && !s.isSuspended() {
		s.unprepared = s.branch.Prepare(ctx, s.rule)
	}
	return nil
}

// checkPrepared ends a reconcile with the namespaces that could not be created.
func (s *scope[O]) checkPrepared(context.Context) error { return s.unprepared }

// writer returns in whose name copies are written: a service account is one of the cluster of the rule.
func (s *scope[O]) writer() impersonate.User {
	if s.branch == nil {
		return s.spec.User()
	}
	return s.branch.Destination.User()
}

// finishBranch notes of which kinds there may be copies, and whether a rule that is to have none has none.
func (s *scope[O]) finishBranch(ctx context.Context, kinds []schema.GroupKind) error {
	s.report.Kinds = kinds
	isTarget, err := s.branch.IsTarget(s.rule)
	if err != nil || isTarget || s.local.keptCopies {
		return err
	}
	left, err := s.local.hasCopies(ctx, s.local.sets[0])
	if err != nil {
		return s.unlisted(err)
	}
	s.report.IsClear = !left && len(kinds) <= 1
	return nil
}

// reportBranch reports how it is with the copies in the other cluster.
func (s *scope[O]) reportBranch() {
	s.report.Rule, s.report.Generation, s.report.IsDeleting = s.rule.GetUID(), s.rule.GetGeneration(), s.isDeleting()
	s.report.Source = s.sourceVersion()
	s.branch.Report(s.rule, s.report)
}

// goneSource stands for the version of a source that does not exist.
const goneSource = "deleted"

// sourceVersion returns the version of the source that was read, or goneSource; empty: the rule has several, or it was not read.
func (s *scope[O]) sourceVersion() string {
	switch {
	case s.spec.Selects() || s.isMerge():
		return ""
	case s.named().isSourceGone():
		return goneSource
	default:
		return s.named().version
	}
}
