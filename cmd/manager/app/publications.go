package app

import (
	"context"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"projection.sh/operator/components/publication"
)

// servePublications has the manager serve PublishedResources when it runs controllers. Without --remote-clusters, nothing is asked for them.
func (w *wiring) servePublications(mgr manager.Manager, options Options) error {
	if w.remotes == nil {
		return nil
	}
	needs := publication.Options{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Registry: w.remotes, Hub: w.clients, HubID: w.hub.ID,
		Recorder: mgr.GetEventRecorder("publishedresource"), Clock: clock.RealClock{}, Retry: options.RequeueInterval,
		Metrics: w.hub.Metrics,
	}
	return mgr.Add(manager.RunnableFunc(func(ctx context.Context) error { return publication.Serve(ctx, mgr, needs) }))
}
