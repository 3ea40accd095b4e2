package fleet_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/semaphore"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	coordinationv1ac "k8s.io/client-go/applyconfigurations/coordination/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	testingclock "k8s.io/utils/clock/testing"

	"projection.sh/operator/components/fleet"
)

var errCut = errors.New("cut")

// leases is an API server that has one lease.
type leases struct {
	coordinationv1client.LeaseInterface

	mu      sync.Mutex
	lease   *coordinationv1.Lease
	version int
	uid     int
	code    int  // of the answer to all requests; 0: as it should be
	lost    bool // the next write is carried out, and has no answer
	writes  int
	reads   int
	git     string                   // its version; empty: a plain one
	applies func(isThere bool) error // nil: as it should be
	asked   int
}

func (l *leases) gitVersion() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.git, "v1.37.0")
}

func (l *leases) Apply(_ context.Context, lease *coordinationv1ac.LeaseApplyConfiguration, options metav1.ApplyOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	isThere := *lease.Name == "hub"
	switch {
	case len(options.DryRun) == 0 || *lease.ResourceVersion != "1":
		return nil, errors.New("this changes something")
	case l.code != 0:
		return nil, l.refuse("patch")
	case l.applies != nil:
		return &coordinationv1.Lease{}, l.applies(isThere)
	case isThere:
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "leases"}, "hub", errors.New("it has changed"))
	default:
		return &coordinationv1.Lease{}, nil
	}
}

func (l *leases) refuse(verb string) error {
	if l.code == 0 {
		return nil
	}
	return apierrors.NewGenericServerResponse(l.code, verb, schema.GroupResource{Resource: "leases"}, "hub", "no", 0, true)
}

func (l *leases) Get(context.Context, string, metav1.GetOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reads++
	if err := l.refuse("get"); err != nil {
		return nil, err
	}
	if l.lease == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "leases"}, "hub")
	}
	return l.lease.DeepCopy(), nil
}

func (l *leases) Create(_ context.Context, lease *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refuse("post"); err != nil {
		return nil, err
	}
	if l.lease != nil {
		return nil, apierrors.NewAlreadyExists(schema.GroupResource{Resource: "leases"}, "hub")
	}
	l.uid++
	lease = lease.DeepCopy()
	lease.UID = types.UID(strconv.Itoa(l.uid))
	return l.store(lease)
}

func (l *leases) Update(_ context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refuse("put"); err != nil {
		return nil, err
	}
	if l.lease == nil || l.lease.ResourceVersion != lease.ResourceVersion || l.lease.UID != lease.UID {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: "leases"}, "hub", errors.New("it has changed"))
	}
	return l.store(lease)
}

func (l *leases) store(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	l.version++
	l.writes++
	l.lease = lease.DeepCopy()
	if renewed := l.lease.Spec.RenewTime; renewed != nil {
		l.lease.Spec.RenewTime = &metav1.MicroTime{Time: renewed.Truncate(time.Microsecond)}
	}
	l.lease.ResourceVersion = strconv.Itoa(l.version)
	if l.lost {
		l.lost = false
		return nil, errCut
	}
	return l.lease.DeepCopy(), nil
}

// change has the API server be changed by others.
func (l *leases) change(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *leases) count() (reads, writes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reads, l.writes
}

// process is one that writes to the cluster.
type process struct {
	*fleet.Presence

	gate    *fleet.Gate
	stop    func()
	leave   func() // ends Run alone
	changes chan struct{}
}

// newProcess starts a process whose clock is that of the test.
func newProcess(t *testing.T, clock *testingclock.FakeClock, leases *leases, holder string) *process {
	t.Helper()
	p := &process{gate: fleet.NewGate(clock, semaphore.NewWeighted(1)), changes: make(chan struct{}, 100)}
	ctx, cancel := context.WithCancel(t.Context())
	probing, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go p.gate.Run(probing, func(context.Context) error { return nil })
	p.Presence = fleet.NewPresence(fleet.PresenceOptions{
		Leases: leases, Name: "hub", Version: func() string { return leases.gitVersion() }, Holder: holder, Gate: p.gate, Clock: clock, Changed: func() { p.changes <- struct{}{} },
	})
	go func() {
		defer close(ended)
		p.Run(ctx)
	}()
	p.leave = func() {
		cancel()
		<-ended
	}
	p.stop = sync.OnceFunc(func() {
		p.leave()
		end()
	})
	t.Cleanup(p.stop)
	return p
}

// becomes waits until it is so with the lease.
func (p *process) becomes(t *testing.T, kind fleet.FenceKind) {
	t.Helper()
	for p.State().Kind != kind {
		select {
		case <-p.changes:
		case <-time.After(10 * time.Second):
			require.Equal(t, kind, p.State().Kind)
		}
	}
}

// writes waits until the process may write.
func (p *process) writes(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return p.Writable() == nil }, 10*time.Second, time.Millisecond)
}

// after lets time pass until the function returns true.
func after(t *testing.T, clock *testingclock.FakeClock, step time.Duration, reached func() bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		if reached() {
			return true
		}
		if clock.HasWaiters() {
			clock.Step(step)
		}
		return reached()
	}, 10*time.Second, 5*time.Millisecond)
}

const forbidden = http.StatusForbidden
