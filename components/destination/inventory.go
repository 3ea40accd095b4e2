package destination

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Inventory knows the copies that one tier has made, of every kind that a rule holds.
type Inventory struct {
	ledgers *watch.Pool[*Ledger]
}

// LateWrites is how long a write may take to arrive after its sender has given it up: an API server works on a request for
// a minute, and the network keeps it for a while. For so long, copies of a kind are watched that no rule holds any more.
const LateWrites = 2 * time.Minute

// NewInventory returns an empty inventory whose watches end with the context.
func NewInventory(ctx context.Context, tier owner.Tier, client metadata.Interface, wake watch.Wake) *Inventory {
	return &Inventory{ledgers: watch.NewPool(func(kind schema.GroupVersionResource) *Ledger {
		ledger := newLedger(tier, wake)
		ledger.Stream = watch.Open(ctx, tier.Kind+" copies of "+kind.String(), watch.Labelled(client.Resource(kind), tier.Label).Of(kind), ledger)
		return ledger
	}).Linger(LateWrites)}
}

// Hold makes these kinds, and no others, the ones that the rule may have copies of, and waits until all copies are known.
func (i *Inventory) Hold(ctx context.Context, rule watch.Rule, kinds ...schema.GroupVersionResource) ([]*Ledger, error) {
	ledgers := i.ledgers.Hold(rule, kinds...)
	var errs []error
	for _, ledger := range ledgers {
		errs = append(errs, ledger.WaitForStart(ctx))
	}
	return ledgers, errors.Join(errs...)
}

// Ledgers returns what is known of the copies of a resource, in every version that is watched.
func (i *Inventory) Ledgers(resource schema.GroupResource) map[schema.GroupVersionResource]*Ledger {
	found := map[schema.GroupVersionResource]*Ledger{}
	i.ledgers.Each(func(kind schema.GroupVersionResource, ledger *Ledger) {
		if kind.GroupResource() == resource {
			found[kind] = ledger
		}
	})
	return found
}

// Leave forgets what the rule wants, and lets go of every kind that it holds, since the rule is gone.
func (i *Inventory) Leave(rule watch.Rule) {
	i.ledgers.Each(func(_ schema.GroupVersionResource, ledger *Ledger) { ledger.Forget(rule.NamespacedName) })
	i.ledgers.Hold(rule)
}

// Release lets go of every kind that the rule holds, and watches none that no other rule holds: they are not served.
func (i *Inventory) Release(rule watch.Rule) { i.ledgers.Release(rule) }

// Watches returns how many kinds are watched, and how many of those watches cannot follow at the moment.
func (i *Inventory) Watches() (open, failing int) { return i.ledgers.Count((*Ledger).Failure) }
