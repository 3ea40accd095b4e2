package reach

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/remotecluster"
)

// Patience is for how long a cluster may be between two connections before rules are told.
const Patience = 5 * time.Second

// observer tells when something has changed for the rules that use a cluster.
type observer struct {
	ctx     context.Context //nolint:containedctx // it ends with it
	clock   clock.WithDelayedExecution
	changed func(name string)
	look    func(name string) seen

	looking sync.Mutex // held by the one who looks, so that what was seen first is not noted last
	seen    map[string]seen
}

// Observe has the function called when something has changed for the rules that use the RemoteCluster of that name: at once, and later if it was
// between two connections and counts as unreachable then. The function may block.
func Observe(
	ctx context.Context, client client.Reader, registry *remotecluster.Registry, clock clock.WithDelayedExecution, changed func(name string),
) {
	o := &observer{ctx: ctx, clock: clock, changed: changed, seen: map[string]seen{}}
	o.look = func(name string) seen { return find(ctx, client, registry, name) }
	registry.OnChange(func(name string) { go o.notice(name) })
}

// seen is what rules depend on of a cluster.
type seen struct {
	member                           *remotecluster.Member
	since                            time.Time // when it was reached, or was no longer; what came in between may not have been seen
	isReached, isAnother, isWritable bool
	uid                              types.UID // of the RemoteCluster
	generation                       int64
	isDeleting                       bool
	labels                           string
}

// notice calls the function if there is news of a cluster.
func (o *observer) notice(name string) {
	now, isNews := o.note(name)
	if !isNews || o.ctx.Err() != nil {
		return
	}
	o.changed(name)
	if now.member != nil && !now.isReached {
		o.clock.AfterFunc(Patience, func() { go o.noticeAbsence(name, now) })
	}
}

// noticeAbsence calls the function for a cluster that is as it was. If it is not, that was news.
func (o *observer) noticeAbsence(name string, before seen) {
	o.looking.Lock()
	isSame := o.seen[name] == before
	o.looking.Unlock()
	if isSame && o.ctx.Err() == nil {
		o.changed(name)
	}
}

// note notes what is seen of a cluster, and reports whether that is news.
func (o *observer) note(name string) (now seen, isNews bool) {
	o.looking.Lock()
	defer o.looking.Unlock()
	now = o.look(name)
	isNews = o.seen[name] != now
	if now == (seen{}) {
		delete(o.seen, name)
	} else {
		o.seen[name] = now
	}
	return now, isNews
}

// find returns what is known of a cluster.
func find(ctx context.Context, cache client.Reader, registry *remotecluster.Registry, name string) (now seen) {
	declared := &v1alpha1.RemoteCluster{}
	if err := cache.Get(ctx, client.ObjectKey{Name: name}, declared); err == nil {
		now.uid, now.generation, now.labels = declared.UID, declared.Generation, labels.Set(declared.Labels).String()
		now.isDeleting = declared.DeletionTimestamp != nil
	}
	member, found := registry.Get(name)
	if !found {
		return now
	}
	since, cause := member.State()
	_, now.isAnother = errors.AsType[*fleet.IdentityError](cause)
	now.member, now.since, now.isReached, now.isWritable = member, since, cause == nil, member.Writable() == nil
	return now
}
