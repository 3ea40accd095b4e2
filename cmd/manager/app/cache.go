package app

import (
	"context"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// endingCache is a cache whose WaitForCacheSync returns when the manager is asked to end. Without it, a manager that cannot sync its
// caches does not end: controller-runtime waits for them before it stops.
type endingCache struct {
	cache.Cache
	running context.Context //nolint:containedctx // the manager's, which it does not pass on
}

// newEndingCache returns the constructor of caches for a manager that runs as long as the context.
func newEndingCache(running context.Context) cache.NewCacheFunc {
	return func(config *rest.Config, options cache.Options) (cache.Cache, error) {
		inner, err := cache.New(config, options)
		return endingCache{inner, running}, err
	}
}

// WaitForCacheSync reports whether the caches are in sync, or the manager is asked to end.
func (c endingCache) WaitForCacheSync(ctx context.Context) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.running, cancel)() //nolint:contextcheck // the other context is the point
	return c.Cache.WaitForCacheSync(ctx) || c.running.Err() != nil
}
