package projector

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
)

// tombstones remembers of which rules, and of which kinds that a rule named earlier, this process has removed the last copy.
// A write that was under way then, of its own or of a leader that was cut off, may arrive late and create another one.
type tombstones struct {
	clock func() time.Time

	mu    sync.Mutex
	rules map[types.NamespacedName][]tombstone
	order []types.NamespacedName // by when they are forgotten
}

// tombstone is the end of a rule's copies of one kind.
type tombstone struct {
	rule     types.UID
	resource schema.GroupResource
	source   types.NamespacedName // what the rule copied; it is never taken for a copy
	until    time.Time            // late writes are no longer waited for
}

func newTombstones(clock func() time.Time) *tombstones {
	return &tombstones{clock: clock, rules: map[types.NamespacedName][]tombstone{}}
}

// note remembers that the rule has no copies of the resource any more.
func (p *tombstones) note(id owner.Identity, resource schema.GroupResource, source types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	p.rules[id.Key()] = append(p.rules[id.Key()], tombstone{id.UID, resource, source, p.clock().Add(destination.LateWrites)})
	p.order = append(p.order, id.Key())
}

// of returns what is remembered of rules of that name.
func (p *tombstones) of(rule types.NamespacedName) []tombstone {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	return slices.Clone(p.rules[rule])
}

// expire forgets what is long ago: the first entry of a rule for each of its places in the order.
func (p *tombstones) expire() {
	now := p.clock()
	for len(p.order) > 0 {
		rule := p.order[0]
		if now.Before(p.rules[rule][0].until) {
			return
		}
		p.order = p.order[1:]
		if p.rules[rule] = p.rules[rule][1:]; len(p.rules[rule]) == 0 {
			delete(p.rules, rule)
		}
	}
}

// deleteLate removes copies that were written late: of a rule of that name that has ended, or of a kind that it has left. The
// uid on a copy tells whose it is: a rule that was created again under the same name has another one.
func (p *Projector[O]) deleteLate(ctx context.Context, rule types.NamespacedName, held ...copySet) error {
	var errs []error
	for _, past := range p.tombstones.of(rule) {
		if slices.ContainsFunc(held, func(d copySet) bool { return d.Resource.GroupResource() == past.resource }) {
			continue // the pass deals with those itself
		}
		for resource, cache := range p.deps.Inventory.Caches(past.resource) {
			if len(cache.ByOwner(rule)) == 0 {
				continue
			}
			id := owner.Identity{Kind: p.adapter.Kind, Namespace: rule.Namespace, Name: rule.Name, UID: past.rule}
			_, err := p.deps.Writer.DeleteLate(ctx, destination.CopySet{Owner: id, Resource: resource, Cache: cache}, past.source)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
