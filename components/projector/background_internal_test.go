package projector

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// queueLog is a queue that writes down what it is told.
type queueLog struct {
	queueItems

	mu   sync.Mutex
	told []string
}

func (q *queueLog) write(line string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.told = append(q.told, line)
}

func (q *queueLog) read() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.told
}

func (q *queueLog) Add(reconcile.Request)            { q.write("add") }
func (q *queueLog) AddRateLimited(reconcile.Request) { q.write("add rate limited") }
func (q *queueLog) Forget(reconcile.Request)         { q.write("forget") }
func (q *queueLog) AddAfter(_ reconcile.Request, after time.Duration) {
	q.write("add after " + after.String())
}

func newLoggedBackground(t *testing.T) (*background, *queueLog) {
	t.Helper()
	log, queued := &queueLog{}, &queue{}
	require.NoError(t, queued.open(t.Context(), log))
	return newBackground(queued), log
}

var request = reconcile.Request{NamespacedName: ruleKey}

var errBoom = errors.New("boom")

// taking returns a reconcile that takes so long and ends like that.
func taking(long time.Duration, result reconcile.Result, err error) func(context.Context, *run) (reconcile.Result, error) {
	return func(context.Context, *run) (reconcile.Result, error) {
		<-time.After(long)
		return result, err
	}
}

func TestWorkerWaitsForASecond(t *testing.T) {
	later := reconcile.Result{RequeueAfter: time.Minute}
	tests := map[string]struct {
		long   time.Duration
		result reconcile.Result
		err    error
		worker time.Duration // how long it was kept
		told   []string
	}{
		"quick success":             {time.Millisecond, reconcile.Result{}, nil, time.Millisecond, nil},
		"quick failure":             {time.Millisecond, reconcile.Result{}, errBoom, time.Millisecond, nil},
		"quick with a later look":   {time.Millisecond, later, nil, time.Millisecond, nil},
		"slow success":              {time.Minute, reconcile.Result{}, nil, workerTimeout, []string{"forget"}},
		"slow failure":              {time.Minute, reconcile.Result{}, errBoom, workerTimeout, []string{"add rate limited"}},
		"slow with a later look":    {time.Minute, later, nil, workerTimeout, []string{"forget", "add after 1m0s"}},
		"slow failure, later look ": {time.Minute, later, errBoom, workerTimeout, []string{"add rate limited"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, log := newLoggedBackground(t)
				began := time.Now()
				result, err := b.reconcile(t.Context(), request, taking(test.long, test.result, test.err))
				assert.Equal(t, test.worker, time.Since(began))
				quick := test.long == test.worker
				if quick {
					assert.Equal(t, test.result, result)
					require.ErrorIs(t, err, test.err)
				} else {
					require.NoError(t, err)
					assert.Zero(t, result)
				}
				assert.Equal(t, !quick, b.isRunning(ruleKey))
				<-time.After(test.long)
				synctest.Wait()
				assert.Equal(t, test.told, log.read())
				assert.False(t, b.isRunning(ruleKey))
			})
		})
	}
}

func TestWorkerIsGivenBackEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newLoggedBackground(t)
		began := time.Now()
		_, err := b.reconcile(t.Context(), request, func(_ context.Context, r *run) (reconcile.Result, error) {
			r.release()
			<-time.After(time.Minute)
			return reconcile.Result{}, nil
		})
		require.NoError(t, err)
		assert.Zero(t, time.Since(began))
		<-time.After(time.Minute)
	})
}

func TestReconcileGivesWayToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, log := newLoggedBackground(t)
		var gave atomic.Bool
		_, err := b.reconcile(t.Context(), request, func(ctx context.Context, r *run) (reconcile.Result, error) {
			<-r.active.Done()
			gave.Store(true)
			<-time.After(time.Second)
			return reconcile.Result{RequeueAfter: time.Hour}, ctx.Err()
		})
		require.NoError(t, err)
		assert.False(t, gave.Load(), "nobody has asked for another one")

		_, err = b.reconcile(t.Context(), request, func(context.Context, *run) (reconcile.Result, error) {
			t.Error("there are two reconciles of one rule at a time")
			return reconcile.Result{}, nil
		})
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, gave.Load())
		assert.Empty(t, log.read())
		<-time.After(time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"add"}, log.read())
	})
}

func TestReconcileGivesWayInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newLoggedBackground(t)
		began := time.Now()
		ended := make(chan error, 1)
		_, err := b.reconcile(t.Context(), request, func(ctx context.Context, r *run) (reconcile.Result, error) {
			<-r.active.Done()
			ended <- ctx.Err()
			return reconcile.Result{}, nil
		})
		require.NoError(t, err)
		require.NoError(t, <-ended, "there is time to tell what it has found")
		assert.Equal(t, reconcileTimeout, time.Since(began))
		synctest.Wait()
	})
}

func TestDelayOfRetriesGrowsWithoutAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newLoggedBackground(t)
		limiter := rateLimiter{workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Hour), b}
		assert.Equal(t, time.Second, limiter.When(request))
		_, err := b.reconcile(t.Context(), request, taking(time.Minute, reconcile.Result{}, errBoom))
		require.NoError(t, err)
		limiter.Forget(request) // as the controller does, for which it has succeeded
		assert.Equal(t, 2*time.Second, limiter.When(request))
		<-time.After(time.Minute)
		synctest.Wait()
		limiter.Forget(request)
		assert.Equal(t, time.Second, limiter.When(request))
	})
}

func TestStepHasItsTime(t *testing.T) {
	tests := map[string]struct {
		giveWay time.Duration // after the step has begun; negative: before
		ends    time.Duration
	}{
		"it was asked to give way before": {-1, workerTimeout},
		"it is asked soon":                {workerTimeout / 2, workerTimeout},
		"it is asked later":               {time.Minute, time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				way, giveWay := context.WithCancel(t.Context())
				r := &run{base: t.Context(), active: way, yield: giveWay}
				if test.giveWay < 0 {
					giveWay()
				} else {
					time.AfterFunc(test.giveWay, giveWay)
				}
				turn, end := r.stepContext()
				defer end()
				began := time.Now()
				<-turn.Done()
				assert.Equal(t, test.ends, time.Since(began))
			})
		})
	}
}

func TestWorkersWaitWhenEverythingIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := newLoggedBackground(t)
		b.detached = maxDetached
		began := time.Now()
		_, err := b.reconcile(t.Context(), request, taking(time.Minute, reconcile.Result{}, errBoom))
		require.ErrorIs(t, err, errBoom)
		assert.Equal(t, time.Minute, time.Since(began))
		assert.Equal(t, maxDetached, b.detached)
	})
}
