package projector

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// workerTimeout is how long a worker waits for a reconcile. One that takes longer goes on without a worker.
	workerTimeout = time.Second
	// reconcileTimeout is after what time a reconcile gives way to a new one of the same rule.
	reconcileTimeout = 5 * time.Minute
	// maxDetached is how many reconciles may go on without a worker. Beyond that, workers wait for their reconciles.
	maxDetached = 512
	// requestTimeout is how long one request for a rule may take: as long as an API server works on it by default.
	requestTimeout = time.Minute
)

// background runs reconciles. A reconcile that takes longer than workerTimeout goes on without a worker.
//
// Example: an admission webhook takes 10 s. The worker is given back after a second and serves other rules. If the rule is
// enqueued meanwhile, its running reconcile gives way: it starts no further request, and a new one begins.
type background struct {
	queue *queue

	mu       sync.Mutex
	running  map[types.NamespacedName]*run
	detached int
}

// run is one reconcile of a rule.
type run struct {
	// base ends with the controller. Requests that the run leaves under way use it, so it outlives the run.
	base context.Context //nolint:containedctx // a run is what lasts
	// active ends when the run has to give way, or with base.
	active context.Context //nolint:containedctx // likewise
	yield  context.CancelFunc
	// release gives the worker back before workerTimeout has passed.
	release  func()
	released chan struct{}

	detached bool // the worker has gone
	again    bool // the rule was enqueued meanwhile
}

func newBackground(queue *queue) *background {
	return &background{queue: queue, running: map[types.NamespacedName]*run{}}
}

// stepContext returns a context for one step of requests. The context ends when the run has to give way, but not before the step has
// had workerTimeout: so a rule that is enqueued all the time makes progress, too.
func (r *run) stepContext() (context.Context, context.CancelFunc) {
	step, end := context.WithCancel(r.base)
	began := time.Now()
	stop := context.AfterFunc(r.active, func() { time.AfterFunc(workerTimeout-time.Since(began), end) })
	return step, func() {
		stop()
		end()
	}
}

// outcome is what a reconcile asks of the queue.
type outcome struct {
	result reconcile.Result
	err    error
}

// reconcile calls the function, and returns its result. If the function takes longer than a worker waits, reconcile returns
// before, and the queue gets the result later. The function never runs twice at a time for the same rule.
func (b *background) reconcile(
	ctx context.Context, request reconcile.Request, do func(context.Context, *run) (reconcile.Result, error),
) (reconcile.Result, error) {
	r, first := b.begin(ctx, request.NamespacedName)
	if !first {
		return reconcile.Result{}, nil
	}
	ended := make(chan outcome, 1)
	go func() { //nolint:contextcheck // it outlives the worker
		ctx, cancel := context.WithTimeout(r.base, reconcileTimeout+requestTimeout)
		defer cancel()
		result, err := do(ctx, r)
		r.yield()
		if detached, again := b.end(request.NamespacedName); detached {
			b.requeue(ctx, request, outcome{result, err}, again)
		} else {
			ended <- outcome{result, err}
		}
	}()
	timeout := time.NewTimer(workerTimeout)
	defer timeout.Stop()
	select {
	case o := <-ended:
		return o.result, o.err
	case <-timeout.C:
	case <-r.released:
	}
	if b.detach(request.NamespacedName, r) {
		return reconcile.Result{}, nil
	}
	o := <-ended
	return o.result, o.err
}

// begin returns a new run of the rule, and true. If the rule has a run already, that run gives way, and begin returns false.
func (b *background) begin(ctx context.Context, rule types.NamespacedName) (*run, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r, found := b.running[rule]; found {
		r.again = true
		r.yield()
		return nil, false
	}
	r := &run{base: b.queue.base(ctx), released: make(chan struct{})}
	r.active, r.yield = context.WithTimeout(r.base, reconcileTimeout)
	r.release = sync.OnceFunc(func() { close(r.released) })
	b.running[rule] = r
	return r, true
}

// detach lets the run go on without a worker. It returns false if the run has ended, or if maxDetached runs have no worker.
func (b *background) detach(rule types.NamespacedName, r *run) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running[rule] != r || b.detached >= maxDetached {
		return false
	}
	r.detached = true
	b.detached++
	return true
}

func (b *background) end(rule types.NamespacedName) (detached, again bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.running[rule]
	delete(b.running, rule)
	if r.detached {
		b.detached--
	}
	return r.detached, r.again
}

func (b *background) isRunning(rule types.NamespacedName) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, running := b.running[rule]
	return running
}

// requeue does what controller-runtime does with the result of a reconcile that has a worker.
func (b *background) requeue(ctx context.Context, request reconcile.Request, o outcome, again bool) {
	if o.err != nil {
		log.FromContext(ctx).Error(o.err, "Reconciler error")
	}
	b.queue.whenOpen(func(queued queueItems) {
		switch {
		case again:
			queued.Add(request)
		case o.err != nil:
			queued.AddRateLimited(request)
		case o.result.RequeueAfter > 0:
			queued.Forget(request)
			queued.AddAfter(request, o.result.RequeueAfter)
		default:
			queued.Forget(request)
		}
	})
}

// rateLimiter delays retries. It keeps count of the failures of a rule while a reconcile of the rule goes on without a worker:
// to the controller, that reconcile seems to have succeeded.
type rateLimiter struct {
	workqueue.TypedRateLimiter[reconcile.Request]
	background *background
}

// Forget resets the delay of the rule, unless a reconcile of the rule is running.
func (l rateLimiter) Forget(request reconcile.Request) {
	if !l.background.isRunning(request.NamespacedName) {
		l.TypedRateLimiter.Forget(request)
	}
}
