package projector

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// orphansTimeout bounds how long a scrape waits for the cache of rules.
const orphansTimeout = time.Second

// countOrphans counts the objects with the label of copies that name a rule as their owner which does not exist. An installation that
// selects rules does not know the others, and counts none.
//
// Example: a leader is cut off from the API server while it creates a copy, and the rule is deleted. The request arrives five minutes
// later. Nobody deletes the copy any more.
func (p *Projector[O]) countOrphans() int {
	owned := p.member.Inventory.CountByOwner()
	if len(owned) == 0 || !p.config.Selector.Empty() {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), orphansTimeout)
	defer cancel()
	if err := p.each(ctx, func(rule O) { delete(owned, client.ObjectKeyFromObject(rule)) }); err != nil {
		return 0 // the cache is not in sync, or has ended
	}
	orphans := 0
	for _, count := range owned {
		orphans += count
	}
	return orphans
}
