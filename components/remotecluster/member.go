package remotecluster

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	authorizationv1client "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

// retryTime is how long after an access that did not work it is tried again, while the former one stays in use.
const retryTime = time.Minute

// refusedTime is how often one looks for other credentials, while the cluster refuses those that there are.
const refusedTime = 10 * time.Second

// printable is what a version may be. The other cluster chooses it, and the status shows it.
var printable = regexp.MustCompile(`^v?[0-9][-+.~_0-9A-Za-z]{0,61}$`)

// Member is a cluster as the operator uses it. Its clients stay the same while its credentials change. It is safe for concurrent use.
type Member struct {
	// Name is that of the RemoteCluster.
	Name string

	uid      types.UID // of the RemoteCluster
	home     string    // the namespace of the lease
	presence *fleet.Presence
	rights   *permissions
	gate     *fleet.Gate
	conduit  *fleet.Conduit
	identity *fleet.Identity
	slots    *fleet.Slots
	versions discovery.DiscoveryInterfaceWithContext
	reviews  authorizationv1client.SelfSubjectAccessReviewInterface
	clock    clock.WithTicker
	wrap     func(http.RoundTripper) http.RoundTripper // nil: nothing is around the conduit
	changed  func()                                    // must not block

	mu      sync.Mutex
	access  fleet.Access
	failure error     // why the access is not in use, while a former one is
	version string    // of the API server; empty: it is not known
	refused bool      // the cluster has not accepted the credentials, and nobody has looked for others since
	taken   time.Time // when somebody looked

	closed bool
	leave  context.CancelFunc // ends the presence; nil: there is none

	renewed   chan struct{} // has a value when there is another access
	cancel    context.CancelFunc
	running   sync.WaitGroup
	attending sync.WaitGroup
}

// Config returns the configuration of clients of the cluster.
func (m *Member) Config() *rest.Config {
	config := m.conduit.Config()
	config.Wrap(m.wrap)
	return config
}

// Slots returns those of the cluster. Who makes requests that are no watches takes one for each.
func (m *Member) Slots() *fleet.Slots { return m.slots }

// Identity returns the uid of the namespace kube-system of the cluster that this has to be; empty: it is not known.
func (m *Member) Identity() types.UID { return m.identity.Pinned() }

// State returns since when the cluster is reached, or since when it is not, and why.
func (m *Member) State() (since time.Time, cause error) { return m.gate.State() }

// Sure returns nil if the cluster is the one that it was before. It asks, unless the last answer that said so is younger than the duration.
func (m *Member) Sure(ctx context.Context, within time.Duration) error {
	return m.identity.Sure(ctx, within)
}

// newMember returns a member that connects, and calls the function whenever something has changed, until it is closed.
func newMember(ctx context.Context, remote *v1alpha1.RemoteCluster, access fleet.Access, shared *shared, changed func()) (*Member, error) {
	m := &Member{
		Name: remote.Name, uid: remote.UID, gate: fleet.NewGate(shared.clock, shared.dials), clock: shared.clock,
		slots: fleet.NewSlots(shared.budget, remote.Spec.Limits.GetConcurrency()), changed: changed, access: access, renewed: make(chan struct{}, 1),
		wrap: shared.wrap, home: homeOf(remote),
	}
	m.conduit = fleet.NewConduit(fleet.Options{
		Name: remote.Name, UserAgent: shared.userAgent, Gate: m.gate, Clock: shared.clock, Timeout: remote.Spec.Limits.Timeout(),
		Check: m.check, Unauthorized: m.noteRefused, Dial: shared.dial,
	})
	client, err := metadata.NewForConfig(m.Config())
	if err != nil {
		return nil, err
	}
	if m.versions, err = discovery.NewDiscoveryClientForConfig(m.Config()); err != nil {
		return nil, err
	}
	m.identity = fleet.NewIdentity(recordedIdentity(remote), shared.clock, func(ctx context.Context) (types.UID, error) { return fleet.Ask(ctx, client) })
	if m.presence, err = m.newPresence(shared); err != nil {
		return nil, err
	}
	reviews, err := authorizationv1client.NewForConfig(m.Config())
	if err != nil {
		return nil, err
	}
	m.reviews = reviews.SelfSubjectAccessReviews()
	m.rights = newPermissions(m.review, m.gate, m.clock, changed)
	ctx, m.cancel = context.WithCancel(context.WithoutCancel(ctx))
	m.running.Go(func() { m.gate.Run(ctx, m.conduit.Probe) })
	m.running.Go(func() { m.observe(ctx) })
	m.running.Go(func() { m.exchange(ctx) })
	return m, nil
}

// close ends all connections when the lease was given back. wait returns when everything has ended.
func (m *Member) close() {
	m.stopAttending()
	m.running.Go(func() {
		m.attending.Wait()
		m.cancel()
		m.conduit.Close()
	})
}

func (m *Member) wait() { m.running.Wait() }

// check asks which cluster it is, and then for its version, which decides nothing.
func (m *Member) check(ctx context.Context) error {
	if err := m.identity.Sure(ctx, 0); err != nil {
		return err
	}
	info, err := m.versions.ServerVersionWithContext(ctx)
	if err != nil || !printable.MatchString(info.GitVersion) {
		return nil //nolint:nilerr // the cluster is the right one, and may keep its version to itself
	}
	m.mu.Lock()
	isNew := m.version != info.GitVersion
	m.version = info.GitVersion
	m.mu.Unlock()
	if isNew {
		m.changed()
	}
	return nil
}

// observe reports when the cluster is reached, and when it no longer is.
func (m *Member) observe(ctx context.Context) {
	for {
		changed, _ := m.gate.Observe()
		m.changed()
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// exchange hands each new access to the conduit, which may take as long as a probe.
func (m *Member) exchange(ctx context.Context) {
	for {
		access := m.wanted()
		err := m.conduit.Exchange(ctx, access)
		if ctx.Err() != nil {
			m.conduit.Close() // it may have been closed before this access
			return
		}
		m.noteFailure(err)
		if err == nil {
			m.rights.renew()
		}
		if !m.pause(ctx, err != nil) {
			return
		}
	}
}

// pause waits for another access, or until an access that did not work is to be tried again. It returns false if the context ends first.
func (m *Member) pause(ctx context.Context, again bool) bool {
	var due <-chan time.Time
	if again {
		ticker := m.clock.NewTicker(retryTime)
		defer ticker.Stop()
		due = ticker.C()
	}
	for {
		select {
		case <-m.renewed:
			return true
		case <-ctx.Done():
			return false
		case <-due:
			if _, cause := m.gate.State(); cause == nil {
				return true
			} // otherwise, probes try it
		}
	}
}

func (m *Member) wanted() fleet.Access {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.access
}

// use makes this the access from now on.
func (m *Member) use(access fleet.Access) {
	m.mu.Lock()
	isNew := !reflect.DeepEqual(m.access, access)
	m.access = access
	m.mu.Unlock()
	if !isNew {
		return
	}
	select {
	case m.renewed <- struct{}{}:
	default: // who has not looked yet will find this one
	}
}

// limit makes these the limits of what is asked of the cluster from now on. Nothing is asked again.
func (m *Member) limit(limits v1alpha1.ClusterLimits) {
	m.conduit.SetTimeout(limits.Timeout())
	m.slots.SetLimit(limits.GetConcurrency())
}

// pin makes this the identity that the cluster has to have. Nothing is sent until it is proven.
func (m *Member) pin(identity types.UID) {
	former := m.identity.Pinned()
	if identity == "" || identity == former {
		return
	}
	m.identity.Pin(identity)
	m.gate.Close(&fleet.IdentityError{Pinned: identity, Found: former})
	m.gate.ProbeNow()
}

func (m *Member) noteFailure(err error) {
	m.mu.Lock()
	isNew := (m.failure == nil) != (err == nil) || err != nil && explain(err) != explain(m.failure)
	m.failure = err
	m.mu.Unlock()
	if isNew {
		m.changed()
	}
}

// noteRefused notes that there may be other credentials by now.
func (m *Member) noteRefused() {
	m.mu.Lock()
	isNew := !m.refused
	m.refused = true
	m.mu.Unlock()
	if isNew {
		m.changed()
	}
}

// takeRefused reports whether the credentials were refused since it last has, or when to call it again.
func (m *Member) takeRefused() (bool, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.Now()
	if !m.refused {
		return false, 0
	}
	if wait := m.taken.Add(refusedTime).Sub(now); wait > 0 {
		return false, wait
	}
	m.refused, m.taken = false, now
	return true, 0
}

// found returns what is known of the cluster.
func (m *Member) found() found {
	since, cause := m.gate.State()
	m.mu.Lock()
	defer m.mu.Unlock()
	return found{
		since: since, cause: cause, failure: m.failure, host: m.access.Server.Host, identity: m.identity.Pinned(), version: m.version,
		expiry: m.access.Expiry(), fence: m.presence.State(), suitable: m.presence.Suitability(), review: m.rights.known(),
	}
}
