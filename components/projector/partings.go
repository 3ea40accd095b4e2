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

// partings remembers of which rules, and of which kinds that a rule named earlier, this process has removed the last copy.
// A write that was under way then, of its own or of a leader that was cut off, may arrive late and create another one.
type partings struct {
	clock func() time.Time

	mu    sync.Mutex
	rules map[types.NamespacedName][]parting
	order []types.NamespacedName // by when they are forgotten
}

// parting is the end of a rule's copies of one kind.
type parting struct {
	rule     types.UID
	resource schema.GroupResource
	source   types.NamespacedName // what the rule copied; it is never taken for a copy
	until    time.Time            // late writes are no longer waited for
}

func newPartings(clock func() time.Time) *partings {
	return &partings{clock: clock, rules: map[types.NamespacedName][]parting{}}
}

// note remembers that the rule has no copies of the resource any more.
func (p *partings) note(id owner.Identity, resource schema.GroupResource, source types.NamespacedName) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	p.rules[id.Key()] = append(p.rules[id.Key()], parting{id.UID, resource, source, p.clock().Add(destination.LateWrites)})
	p.order = append(p.order, id.Key())
}

// of returns what is remembered of rules of that name.
func (p *partings) of(rule types.NamespacedName) []parting {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	return slices.Clone(p.rules[rule])
}

// expire forgets what is long ago: the first entry of a rule for each of its places in the order.
func (p *partings) expire() {
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

// sweep removes copies that were written late: of a rule of that name that has ended, or of a kind that it has left. The
// uid on a copy tells whose it is: a rule that was created again under the same name has another one.
func (p *Projector[O]) sweep(ctx context.Context, rule types.NamespacedName, held ...desk) error {
	var errs []error
	for _, past := range p.partings.of(rule) {
		if slices.ContainsFunc(held, func(d desk) bool { return d.Resource.GroupResource() == past.resource }) {
			continue // the pass deals with those itself
		}
		for resource, ledger := range p.parts.Inventory.Ledgers(past.resource) {
			if len(ledger.Owned(rule)) == 0 {
				continue
			}
			id := owner.Identity{Tier: p.rules.Tier, Namespace: rule.Namespace, Name: rule.Name, UID: past.rule}
			_, err := p.parts.Writer.Sweep(ctx, destination.Desk{Owner: id, Resource: resource, Ledger: ledger}, past.source)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
