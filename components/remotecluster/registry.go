package remotecluster

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
)

// Registry has the clusters that can be used. It is safe for concurrent use.
type Registry struct {
	shared shared

	mu       sync.RWMutex
	members  map[string]*Member // by the name of the RemoteCluster
	offered  map[string]*Member // those of them that Get returns
	handlers []func(name string)
	onRules  func(name string) // nil: nobody listens yet
	leaving  map[string]string // what RemoteClusters wait for that are being deleted
	closed   bool
	closing  sync.WaitGroup
}

// shared is what members have in common.
type shared struct {
	hub       string // the hub id
	holder    string // the name of this process
	userAgent string
	dial      fleet.Dial
	wrap      func(http.RoundTripper) http.RoundTripper
	clock     clock.WithTickerAndDelayedExecution
	dials     *semaphore.Weighted
	budget    *fleet.Budget
}

// errClosed says that the process ends.
var errClosed = errors.New("the connections to other clusters are closed")

func newRegistry(shared shared) *Registry {
	return &Registry{shared: shared, members: map[string]*Member{}, offered: map[string]*Member{}, leaving: map[string]string{}}
}

// Get returns the cluster of the RemoteCluster, if its declaration can be used, no other RemoteCluster is the same cluster, and its identity is in
// the status. It may be unreachable: its State says so. After OnChange, it may be another Member.
func (r *Registry) Get(name string) (*Member, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	member, found := r.offered[name]
	return member, found
}

// IsDeclared reports whether there is a RemoteCluster with that name whose declaration could be used once.
func (r *Registry) IsDeclared(name string) bool { return r.member(name) != nil }

// OnChange has the function called when what Get returns for the name may have changed, or the State of that, or what the RemoteCluster declares.
// The function must not block.
func (r *Registry) OnChange(handler func(name string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handlers = append(r.handlers, handler)
}

// RulesChanged says that rules may need something else in the cluster of that RemoteCluster than before. It does not block.
func (r *Registry) RulesChanged(name string) {
	r.mu.RLock()
	handle := r.onRules
	r.mu.RUnlock()
	if handle != nil {
		handle(name)
	}
}

func (r *Registry) notify(name string) {
	r.mu.RLock()
	handlers := r.handlers
	r.mu.RUnlock()
	for _, handle := range handlers {
		handle(name)
	}
}

// member returns that of the name; nil: there is none.
func (r *Registry) member(name string) *Member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.members[name]
}

// open adds a member.
func (r *Registry) open(ctx context.Context, remote *v1alpha1.RemoteCluster, access fleet.Access) (*Member, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	member, err := newMember(ctx, remote, access, &r.shared, func() { r.notify(remote.Name) })
	if err != nil {
		return nil, err
	}
	r.members[remote.Name] = member
	return member, nil
}

// remove closes the member of the name, if there is one.
func (r *Registry) remove(name string) {
	r.mu.Lock()
	member := r.members[name]
	delete(r.members, name)
	delete(r.offered, name)
	if member != nil {
		r.end(member)
	}
	r.mu.Unlock()
	if member != nil {
		r.notify(name)
	}
}

// end closes a member. The lock is held.
func (r *Registry) end(member *Member) {
	member.close()
	r.closing.Go(member.wait)
}

// offer has Get return the member of the name, or no longer.
func (r *Registry) offer(ctx context.Context, name string, usable bool) {
	r.mu.Lock()
	member, before := r.members[name], r.offered[name]
	delete(r.offered, name)
	if usable && member != nil {
		r.offered[name] = member
	}
	isNew := r.offered[name] != before
	if member != nil {
		member.attend(ctx, usable)
	}
	r.mu.Unlock()
	if isNew {
		r.notify(name)
	}
}

// namesOf returns the RemoteClusters that are that cluster.
func (r *Registry) namesOf(identity types.UID) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var names []string
	for name, member := range r.members {
		if member.identity.Pinned() == identity {
			names = append(names, name)
		}
	}
	return names
}

func (r *Registry) isClosed() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.closed
}

// close closes all members, and returns when they have ended.
func (r *Registry) close() {
	r.mu.Lock()
	r.closed = true
	for _, member := range r.members {
		r.end(member)
	}
	clear(r.members)
	clear(r.offered)
	r.mu.Unlock()
	r.closing.Wait()
}
