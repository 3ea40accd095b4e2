package reach

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/remotecluster"
)

// Patience is for how long a cluster may be between two connections before rules are told.
const Patience = 5 * time.Second

// Observer tells when something has changed for the rules that use a cluster. It is safe for concurrent use.
type Observer struct {
	ctx      context.Context //nolint:containedctx // it ends with it
	client   client.Reader
	registry *remotecluster.Registry
	clock    clock.WithDelayedExecution
	changed  func(name string)

	mu   sync.Mutex
	seen map[string]seen
}

// Observe has the function called when something has changed for the rules that use the RemoteCluster of that name: at once, and once more when a
// cluster that is between two connections counts as unreachable. The function may block.
func Observe(
	ctx context.Context, client client.Reader, registry *remotecluster.Registry, clock clock.WithDelayedExecution, changed func(name string),
) {
	o := &Observer{ctx: ctx, client: client, registry: registry, clock: clock, changed: changed, seen: map[string]seen{}}
	registry.OnChange(func(name string) { go o.look(name) })
}

// seen is what rules depend on of a cluster.
type seen struct {
	member               *remotecluster.Member
	isReached, isAnother bool
	isWritable           bool
	uid                  types.UID // of the RemoteCluster
	generation           int64
	isDeleting           bool
	labels               map[string]string
}

func (s seen) equals(other seen) bool {
	return s.member == other.member && s.isReached == other.isReached && s.isAnother == other.isAnother && s.isWritable == other.isWritable &&
		s.uid == other.uid && s.generation == other.generation && s.isDeleting == other.isDeleting && maps.Equal(s.labels, other.labels)
}

func (o *Observer) look(name string) {
	now := o.see(name)
	o.mu.Lock()
	isNews := !o.seen[name].equals(now)
	o.seen[name] = now
	o.mu.Unlock()
	if !isNews || o.ctx.Err() != nil {
		return
	}
	o.changed(name)
	if !now.isReached {
		o.clock.AfterFunc(Patience, func() {
			go func() {
				if o.ctx.Err() == nil {
					o.changed(name)
				}
			}()
		})
	}
}

func (o *Observer) see(name string) (now seen) {
	declared := &v1alpha1.RemoteCluster{}
	if err := o.client.Get(o.ctx, client.ObjectKey{Name: name}, declared); err == nil {
		now.uid, now.generation, now.labels = declared.UID, declared.Generation, declared.Labels
		now.isDeleting = declared.DeletionTimestamp != nil
	}
	member, found := o.registry.Get(name)
	if !found {
		return now
	}
	_, cause := member.State()
	_, now.isAnother = errors.AsType[*fleet.IdentityError](cause)
	now.member, now.isReached, now.isWritable = member, cause == nil, member.Writable() == nil
	return now
}
