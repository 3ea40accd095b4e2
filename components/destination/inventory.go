package destination

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/watch"
)

// Inventory knows the copies that one tier has made, of every kind that a rule holds.
type Inventory struct {
	ledgers *watch.Pool[*Ledger]
}

// NewInventory returns an empty inventory whose watches end with the context.
func NewInventory(ctx context.Context, tier owner.Tier, client metadata.Interface, wake watch.Wake) *Inventory {
	return &Inventory{ledgers: watch.NewPool(func(kind schema.GroupVersionResource) *Ledger {
		ledger := newLedger(tier, wake)
		ledger.Stream = watch.Open(ctx, tier.Kind+" copies of "+kind.String(), watch.Labelled(client.Resource(kind), tier.Label), ledger)
		return ledger
	})}
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

// Release lets go of every kind that the rule holds.
func (i *Inventory) Release(rule watch.Rule) { i.ledgers.Release(rule) }

// Watches returns how many kinds are watched, and how many of those watches cannot follow at the moment.
func (i *Inventory) Watches() (open, failing int) { return i.ledgers.Count((*Ledger).Failure) }
