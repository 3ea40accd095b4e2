package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projection"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// component names the operator in events.
const component = "projection"

// New returns a manager with both kinds of rules set up. Its watches end with the context.
func New(ctx context.Context, config *rest.Config, options Options) (manager.Manager, error) {
	mgr, err := newManager(config, options)
	if err != nil {
		return nil, err
	}
	wiring, err := wire(ctx, mgr, options)
	if err != nil {
		return nil, err
	}
	if err := wiring.setUp(mgr, options); err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("caches", cachesSynced(mgr))
}

// clients are the ways to the API server.
type clients struct {
	discovery *discovery.DiscoveryClient
	dynamic   dynamic.Interface
	metadata  metadata.Interface
}

func newClients(config *rest.Config, http *http.Client) (clients, error) {
	var c clients
	var err error
	if c.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config, http); err != nil {
		return c, err
	}
	if c.dynamic, err = dynamic.NewForConfigAndClient(config, http); err != nil {
		return c, err
	}
	c.metadata, err = metadata.NewForConfigAndClient(config, http)
	return c, err
}

// wiring holds the parts that both kinds share, and the projectors.
type wiring struct {
	wakers      map[string]watch.Wake
	parts       projector.Parts
	settings    projector.Settings
	inventories func(owner.Tier) *destination.Inventory
}

func wire(ctx context.Context, mgr manager.Manager, options Options) (*wiring, error) {
	clients, err := newClients(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("connect to the API server: %w", err)
	}
	version, err := clients.discovery.ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("ask the API server for its version: %w", err)
	}
	mode, err := policy.ParseMode(options.SourceMode)
	if err != nil {
		return nil, err
	}
	measures, err := projector.NewMetrics(metrics.Registry)
	if err != nil {
		return nil, err
	}
	w := &wiring{wakers: map[string]watch.Wake{}}
	sources := watch.NewSources(ctx, clients.metadata, w.wake)
	w.parts = projector.Parts{
		Client:   mgr.GetClient(),
		Recorder: mgr.GetEventRecorder(component),
		Resolver: source.NewResolver(clients.discovery),
		Reader:   source.NewReader(clients.dynamic),
		Sources:  sources,
		Writer:   &destination.Writer{Client: mgr.GetClient(), Metadata: clients.metadata, Obstacles: sources},
		Metrics:  measures,
	}
	w.settings = projector.Settings{
		Mode:             mode,
		Requeue:          options.RequeueInterval,
		WriteConcurrency: options.SelectorWriteConcurrency,
		ServerVersion:    version.GitVersion,
	}
	w.inventories = func(tier owner.Tier) *destination.Inventory {
		return destination.NewInventory(ctx, tier, clients.metadata, w.wake)
	}
	return w, nil
}

// wake passes a wake on to the projector of the rule's kind.
func (w *wiring) wake(rule watch.Rule, cause watch.Cause, noticed time.Time) {
	if wake, known := w.wakers[rule.Kind]; known {
		wake(rule, cause, noticed)
	}
}

func (w *wiring) setUp(mgr manager.Manager, options Options) error {
	projections := install(w, projection.Kind())
	return projections.SetupWithManager(mgr, options.MaxConcurrentReconciles)
}

// install makes the projector of a kind, with an inventory of its own.
func install[O owner.Object](w *wiring, kind projector.Kind[O]) *projector.Projector[O] {
	parts := w.parts
	parts.Inventory = w.inventories(kind.Tier)
	p := projector.New(kind, parts, w.settings)
	w.wakers[kind.Tier.Kind] = p.Wake
	return p
}

// cachesSynced is ready when every rule is known.
func cachesSynced(mgr manager.Manager) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the rules are not known yet")
		}
		return nil
	}
}
