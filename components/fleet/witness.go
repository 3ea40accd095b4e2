package fleet

import (
	"context"
	"time"
)

// Await returns when the cluster can be reached. If it cannot be at first, the function is called with the reason.
func (p *Presence) Await(ctx context.Context, away func(error)) error {
	said := false
	for {
		changed, cause := p.options.Gate.Observe()
		if cause == nil {
			return ctx.Err()
		}
		if !said {
			away(&UnreachableError{Cause: cause})
			said = true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Latest returns the version of the last renewal, and the number of the chain of renewals that were each written onto the one before; empty: the
// lease is not held.
func (p *Presence) Latest() (version string, chain uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version, p.chain
}

// Confirm reports whether the cluster had all renewals of the chain at a time after that. It renews the lease unless that was done since. Those who
// ask at the same time share the answer.
func (p *Presence) Confirm(ctx context.Context, chain uint64, after time.Time) (bool, error) {
	if err := p.asking.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer p.asking.Release(1)
	isSame, isConfirmed := p.isConfirmed(chain, after)
	if !isSame || isConfirmed {
		return isSame, nil
	}
	if err := p.try(ctx); err != nil {
		return false, err
	}
	isSame, _ = p.isConfirmed(chain, after)
	return isSame, nil
}

// isConfirmed reports whether the chain goes on, and was asked for after that time.
func (p *Presence) isConfirmed(chain uint64, after time.Time) (isSame, isConfirmed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version != "" && p.chain == chain, p.confirmed.After(after)
}
