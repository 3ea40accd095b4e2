package projector

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// elsewhere is another cluster.
type elsewhere struct {
	unsure, denied error
	hold           time.Duration
}

func (elsewhere) Identity() string                                           { return "uid" }
func (e elsewhere) Sure(context.Context) error                               { return e.unsure }
func (e elsewhere) HoldGone(ObjectRef) time.Duration                         { return e.hold }
func (elsewhere) User(string) impersonate.User                               { return impersonate.Operator() }
func (e elsewhere) Denied(context.Context, owner.Identity, owner.Spec) error { return e.denied }

// scopeElsewhere begins a reconcile of a rule whose source is in that cluster.
func scopeElsewhere(t *testing.T, there elsewhere) *scope[*v1.ClusterProjection] {
	t.Helper()
	f, rule := newFixture(t), newRule()
	rule.Spec.Source.Cluster = "eu-1"
	from := f.member.SourceCluster
	from.Remote = there
	f.hub.SourceCluster = func(string) *SourceCluster { return &from }
	return f.scope(rule)
}

func TestSourceElsewhereIsNotReadHere(t *testing.T) {
	f, rule := newFixture(t), newRule()
	rule.Spec.Source.Cluster = "eu-1"
	s := f.scope(rule)
	stopped, ok := errors.AsType[*plan.Error](s.checkCluster(t.Context()))
	require.True(t, ok)
	assert.Equal(t, v1.ReasonRemoteClustersDisabled, stopped.Reason)
	assert.Equal(t, "the source is in the cluster eu-1, and this operator runs without --remote-clusters; "+
		"have an administrator set the flag, or remove source.cluster", stopped.Sentence())

	rule.Spec.Source.Cluster = ""
	require.NoError(t, f.scope(rule).checkCluster(t.Context()))
}

func TestAbsenceIsBelievedOfTheRightCluster(t *testing.T) {
	s := scopeElsewhere(t, elsewhere{})
	assert.Equal(t, source.ErrNotFound, s.judge(t.Context(), source.ErrNotFound))
	assert.Equal(t, assert.AnError, s.judge(t.Context(), assert.AnError))

	s = scopeElsewhere(t, elsewhere{unsure: assert.AnError})
	assert.Equal(t, assert.AnError, s.judge(t.Context(), source.ErrNotFound), "another cluster may have answered")

	denied := errors.New("the cluster cannot be reached")
	s = scopeElsewhere(t, elsewhere{denied: denied})
	assert.Equal(t, denied, s.judge(t.Context(), assert.AnError), "that is why")
}

func TestCopiesOfASourceThatVanishedWithOthersStay(t *testing.T) {
	s := scopeElsewhere(t, elsewhere{hold: time.Minute})
	require.NoError(t, s.named().holdGone(), "there are no copies")
	s.rule.Status.DestinationName = "settings"
	stopped, ok := errors.AsType[*plan.Error](s.named().holdGone())
	require.True(t, ok)
	assert.Equal(t, v1.ReasonSourceDeleted, stopped.Reason)
	assert.Equal(t, time.Minute, stopped.RequeueAfter)

	s = scopeElsewhere(t, elsewhere{})
	s.rule.Status.DestinationName = "settings"
	assert.NoError(t, s.named().holdGone())
}

// TestRecordOfConsentHasTheCluster has the owner of another object not have consented.
func TestRecordOfConsentHasTheCluster(t *testing.T) {
	s := scopeElsewhere(t, elsewhere{})
	assert.Equal(t, "eu-1:ConfigMap/home/settings@uid", s.recordName(s.spec))
	here := newFixture(t).scope(newRule())
	assert.Equal(t, "ConfigMap/home/settings", here.recordName(here.spec))
}

// TestRuleLeavesTheClusterOfItsFormerSource has a rule be edited.
func TestRuleLeavesTheClusterOfItsFormerSource(t *testing.T) {
	f, rule := newFixture(t), newRule()
	left := &leaving{}
	f.scope(rule)
	f.memory.Do(ruleKey, func(r *memory.Rule) { r.From = left })
	f.scope(rule)
	assert.Equal(t, 1, left.count)
	f.scope(rule)
	assert.Equal(t, 1, left.count)
}

type leaving struct{ count int }

func (l *leaving) Leave(watch.RuleKey) { l.count++ }
