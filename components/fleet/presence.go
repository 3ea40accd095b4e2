package fleet

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/clock"
)

const (
	// presencePeriod is how often the lease is renewed.
	presencePeriod = time.Minute
	// presenceTime is for how long it is valid.
	presenceTime = 3 * presencePeriod
	// presenceRetry is how long after a renewal that failed, or found another holder, the next one follows.
	presenceRetry = 10 * time.Second
	// releaseTimeout is how long it may take to give the lease back.
	releaseTimeout = 5 * time.Second
)

// PresenceOptions are what a Presence needs.
type PresenceOptions struct {
	// Leases are those of the namespace in the cluster.
	Leases coordinationv1client.LeaseInterface
	// Namespace and Name are those of the lease.
	Namespace, Name string
	// Version returns that of the API server; empty: it is not known.
	Version func() string
	// Holder is the name of this process. No other process has it.
	Holder string
	// Gate is that of the cluster.
	Gate *Gate
	// Clock measures for how long the lease is valid. The times in a lease of another process decide nothing.
	Clock clock.Clock
	// Changed is called when the State has changed. It must not block.
	Changed func()
}

// Presence holds a lease in a cluster for as long as this process writes there. It keeps another process from it that takes itself for the same
// hub, such as one that was started from a backup. The lease is also a witness of the history of the API server: each renewal is written onto the
// version of the one before it, so it fails if the API server has lost that. It is safe for concurrent use.
type Presence struct {
	options PresenceOptions
	running *semaphore.Weighted // held by the one who runs
	asking  *semaphore.Weighted // held by the one who asks

	mu        sync.Mutex
	lease     *coordinationv1.Lease // as it was seen last; nil: it was not, or is not there
	seen      time.Time             // when a lease of another process was first seen in that version
	fence     Fence
	chain     uint64
	version   string    // of our last renewal; empty: there is none that the next one is to be written onto
	confirmed time.Time // when the last request began that has shown that
	suitable  Suitability
	assessed  string // the version of the API server that was asked
}

// NewPresence returns a presence whose lease is not acquired yet.
func NewPresence(options PresenceOptions) *Presence {
	return &Presence{options: options, running: semaphore.NewWeighted(1), asking: semaphore.NewWeighted(1)}
}

// Run acquires the lease and renews it until the context ends. Then it gives the lease back. While the gate is closed, it waits. It begins when a
// former call has returned.
func (p *Presence) Run(ctx context.Context) {
	if p.running.Acquire(ctx, 1) != nil {
		return
	}
	defer p.running.Release(1)
	for p.Await(ctx, func(error) {}) == nil {
		pause := presencePeriod
		err := p.ask(ctx)
		if err == nil {
			err = p.assess(ctx)
		}
		if err != nil || p.State().Kind == HeldByAnother {
			pause = presenceRetry
		}
		if !p.pause(ctx, pause) {
			break
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	p.release(ctx)
}

// pause waits for so long, or until the gate closes. It returns false if the context ends first.
func (p *Presence) pause(ctx context.Context, wait time.Duration) bool {
	timer := p.options.Clock.NewTimer(wait)
	defer timer.Stop()
	for {
		changed, cause := p.options.Gate.Observe()
		if cause != nil {
			return true
		}
		select {
		case <-timer.C():
			return true
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// ask acquires or renews the lease.
func (p *Presence) ask(ctx context.Context) error {
	if err := p.asking.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.asking.Release(1)
	return p.try(ctx)
}

// try acquires or renews the lease. Nobody else does at that time.
func (p *Presence) try(ctx context.Context) error {
	asked := p.options.Clock.Now()
	former, isOurs := p.known()
	if isOurs {
		err := p.renew(ctx, asked, former, true)
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return p.noteRefusal(err)
		}
	}
	if p.State().Kind == HomeMissing {
		return p.noteRefusal(p.create(ctx, asked))
	}
	current, err := p.options.Leases.Get(ctx, p.options.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return p.noteRefusal(p.create(ctx, asked))
	case err != nil:
		return p.noteRefusal(err)
	case isOurs && p.isLater(current, former):
		return p.noteRefusal(p.renew(ctx, asked, current, true)) // only an answer was lost
	case p.isFree(current):
		return p.noteRefusal(p.renew(ctx, asked, current, false))
	default:
		p.lose(Fence{Kind: HeldByAnother, Holder: shown(holderOf(current))})
		return nil
	}
}

func (p *Presence) known() (lease *coordinationv1.Lease, isOurs bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lease, p.version != ""
}

// renew writes onto a version of the lease. It continues the chain if that version is known to be our own.
func (p *Presence) renew(ctx context.Context, asked time.Time, onto *coordinationv1.Lease, continues bool) error {
	next := onto.DeepCopy()
	if holderOf(onto) != p.options.Holder {
		next.Spec.AcquireTime = new(metav1.NewMicroTime(asked))
		next.Spec.LeaseTransitions = new(transitionsOf(onto) + 1)
	}
	p.sign(&next.Spec, asked)
	written, err := p.options.Leases.Update(ctx, next, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	p.hold(written, asked, continues)
	return nil
}

func (p *Presence) create(ctx context.Context, asked time.Time) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: p.options.Name}}
	lease.Spec.AcquireTime = new(metav1.NewMicroTime(asked))
	p.sign(&lease.Spec, asked)
	written, err := p.options.Leases.Create(ctx, lease, metav1.CreateOptions{})
	switch {
	case apierrors.IsNotFound(err):
		p.lose(Fence{Kind: HomeMissing})
		return nil
	case apierrors.IsAlreadyExists(err):
		p.lose(Fence{})
		return err // the next try reads it
	case err != nil:
		return err
	}
	p.hold(written, asked, false)
	return nil
}

// sign makes this process the holder.
func (p *Presence) sign(spec *coordinationv1.LeaseSpec, asked time.Time) {
	spec.HolderIdentity = new(p.options.Holder)
	spec.LeaseDurationSeconds = new(int32(presenceTime / time.Second))
	spec.RenewTime = new(metav1.NewMicroTime(asked))
}

// release gives the lease back, so that the next process need not wait until it is no longer valid. The answer to the last request for it may have been
// lost: the process ended before.
func (p *Presence) release(ctx context.Context) {
	if p.asking.Acquire(ctx, 1) != nil {
		return
	}
	defer p.asking.Release(1)
	lease, isOurs := p.known()
	isAsking := p.State().Kind == NotAsked
	p.lose(Fence{})
	if isOurs {
		isAsking = apierrors.IsConflict(p.giveBack(ctx, lease))
	}
	if !isAsking {
		return
	}
	if current, err := p.options.Leases.Get(ctx, p.options.Name, metav1.GetOptions{}); err == nil && holderOf(current) == p.options.Holder {
		_ = p.giveBack(ctx, current) // otherwise, the next process has to wait
	}
}

// giveBack writes onto a version of the lease that nobody holds it.
func (p *Presence) giveBack(ctx context.Context, onto *coordinationv1.Lease) error {
	next := onto.DeepCopy()
	next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds = new(""), new(int32(1))
	_, err := p.options.Leases.Update(ctx, next, metav1.UpdateOptions{})
	return err
}
