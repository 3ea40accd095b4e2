package projector

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/watch"
)

// logging returns a context whose logger writes lines down up to the verbosity.
func logging(t *testing.T, verbosity int) (context.Context, *[]string) {
	t.Helper()
	lines := &[]string{}
	logger := funcr.New(func(_, args string) { *lines = append(*lines, args) }, funcr.Options{Verbosity: verbosity})
	return log.IntoContext(t.Context(), logr.New(logger.GetSink())), lines
}

func TestReconcileIsOneLineOfTheLog(t *testing.T) {
	b := newFixture(t)
	b.hub.Client = unread
	b.remember(ruleKey, watch.SourceChanged, now)
	b.remember(ruleKey, watch.NamespaceAdded, now)
	s := b.scope(newRule())
	s.local.wanted.Targets = make([]plan.Target, 4)
	refusedCopy := failed("c", refusal, "the secret is: hunter2")
	refusedCopy.Err, refusedCopy.RetryAfter = errors.New("hunter2"), 2*time.Second
	s.local.outcomes = []destination.Outcome{fine("a", destination.Created), fine("b", destination.Updated), refusedCopy, pending("d")}
	s.local.removals = []destination.Outcome{fine("e", destination.Deleted), fine("f", destination.LeftAlone)}
	s.local.deletedLate = 1
	ctx, lines := logging(t, 1)
	result, err := s.finish(ctx, nil)
	require.NoError(t, err)
	s.logReconcile(ctx, nil, result, err)
	require.Len(t, *lines, 1)
	assert.Equal(t, `"level"=1 "msg"="Reconciled" "triggers"=["namespace-add" "source-update"] "planned"=4 "created"=1 "updated"=1 "adopted"=0 "deleted"=1 `+
		`"retained"=0 "recreated"=0 "leftAlone"=1 "deletedLate"=1 "skipped"=0 "failed"=1 "held"=0 "pending"=1 "ready"="DestinationCreateFailed" "requeueAfter"="2s" "error"=""`, (*lines)[0])
}

func TestReconcileIsNoLineOfTheLogByDefault(t *testing.T) {
	ctx, lines := logging(t, 0)
	newFixture(t).scope(newRule()).logReconcile(ctx, nil, reconcile.Result{}, nil)
	logUncached(ctx, nil, 0, nil)
	assert.Empty(t, *lines)
}

// absent is a cache without rules.
type absent struct{ client.Client }

func (absent) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{Group: v1.GroupVersion.Group, Resource: "clusterprojections"}, key.Name)
}

func TestReconcileOfARuleThatIsGoneIsALine(t *testing.T) {
	b := newFixture(t)
	b.rules.cache = absent{}
	b.remember(ruleKey, watch.CopyChanged, now)
	ctx, lines := logging(t, 1)
	_, err := b.Reconcile(ctx, reconcile.Request{NamespacedName: ruleKey})
	require.NoError(t, err)
	assert.Equal(t, []string{`"level"=1 "msg"="Reconciled a rule that is not in the cache" "triggers"=["self-heal"] "deletedLate"=0 "error"=""`}, *lines)
}

func TestClassOfAnError(t *testing.T) {
	quoting := apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "settings", errors.New("hunter2"))
	for class, err := range map[string]error{
		"":                  nil,
		"Outdated":          fmt.Errorf("claim: %w", errOutdated),
		"NotRead":           plan.ErrNotRead,
		"SourceFetchFailed": plan.Retryable(v1.ConditionSourceResolved, v1.ReasonSourceFetchFailed, quoting),
		"Canceled":          context.Canceled,
		"DeadlineExceeded":  fmt.Errorf("wait: %w", context.DeadlineExceeded),
		"Forbidden":         errors.Join(quoting, errors.New("another")),
		"Other":             errors.New("hunter2"),
	} {
		assert.Equal(t, class, errorClass(err))
	}
}
