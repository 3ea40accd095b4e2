package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/definition"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/lane"
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
	mgr, err := newManager(ctx, config, options)
	if err != nil {
		return nil, err
	}
	wiring, err := wire(ctx, mgr, options)
	if err != nil {
		return nil, err
	}
	if err := wiring.setUp(ctx, mgr, options); err != nil {
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

// wiring holds the parts that both kinds share, and what wakes each.
type wiring struct {
	clients    clients
	deps       projector.Deps
	config     projector.Config
	projectors map[string]enqueuer
}

// enqueuer is a projector of either kind.
type enqueuer interface {
	Enqueue(rule watch.RuleKey, cause watch.Trigger, noticed time.Time)
	Requeue(rule watch.RuleKey)
	DefinitionsChanged(ctx context.Context, group string) error
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
	w := &wiring{clients: clients, projectors: map[string]enqueuer{}}
	sources := watch.NewSources(ctx, clients.metadata, w.enqueue)
	w.deps = projector.Deps{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Recorder: mgr.GetEventRecorder(component),
		Resolver: source.NewResolver(clients.discovery, source.Registry{Metadata: clients.metadata, Objects: clients.dynamic}),
		Reader:   source.NewReader(clients.dynamic),
		Sources:  sources,
		Writer:   &destination.Writer{Client: mgr.GetClient(), Metadata: clients.metadata, Blockers: sources},
		Reads:    lane.New[projector.Fetched](limits(options, options.MaxConcurrentReconciles), lane.ByKind, w.requeue),
		Lanes:    lane.New[destination.Outcome](limits(options, 4), lane.ByNamespace, w.requeue),
		Metrics:  measures,
	}
	selector, err := labels.Parse(options.WatchLabelSelector)
	if err != nil {
		return nil, err
	}
	w.config = projector.Config{
		Selector:        selector,
		Mode:            mode,
		Requeue:         options.RequeueInterval,
		ReadConcurrency: options.SelectorWriteConcurrency,
		ServerVersion:   version.GitVersion,
	}
	return w, nil
}

// setUp installs both kinds, and what wakes them besides their own watches.
func (w *wiring) setUp(ctx context.Context, mgr manager.Manager, options Options) error {
	namespaces := clusterprojection.NewNamespaces(mgr.GetClient(), options.ExcludedNamespaces())
	if err := namespaces.Watch(ctx, mgr.GetCache(), w.enqueue); err != nil {
		return err
	}
	if err := install(ctx, w, mgr, projection.Adapter(), options.MaxConcurrentReconciles); err != nil {
		return err
	}
	if err := install(ctx, w, mgr, clusterprojection.Adapter(namespaces), options.MaxConcurrentReconciles); err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(w.watchDefinitions))
}

// install runs the projector of a kind, which has an inventory of its own.
func install[O owner.Object](ctx context.Context, w *wiring, mgr manager.Manager, kind projector.Adapter[O], concurrency int) error {
	parts := w.deps
	parts.Definition = definition.New(parts.Live, kind.Kind.Name, kind.New(), w.config.Requeue)
	parts.Inventory = destination.NewInventory(ctx, kind.Kind, w.clients.metadata, w.enqueue)
	if _, err := mgr.GetCache().GetInformer(ctx, kind.New()); err != nil { // known before the controller asks, for cachesSynced
		return fmt.Errorf("watch the rules: %w", err)
	}
	p := projector.New(kind, parts, w.config)
	w.projectors[kind.Kind.Name] = p
	return p.SetupWithManager(mgr, concurrency)
}

// enqueue passes a wake on to the projector of the rule's kind.
func (w *wiring) enqueue(rule watch.RuleKey, cause watch.Trigger, noticed time.Time) {
	if waker, known := w.projectors[rule.Kind]; known {
		waker.Enqueue(rule, cause, noticed)
	}
}

// requeue asks for a reconcile of the rule that goes on with what an earlier one left under way.
func (w *wiring) requeue(rule watch.RuleKey) {
	if waker, known := w.projectors[rule.Kind]; known {
		waker.Requeue(rule)
	}
}

// limits are the bounds of the requests for sources and copies.
func limits(options Options, perNamespace int) lane.Limits {
	return lane.Limits{
		PerLane:  perNamespace,
		PerRule:  options.SelectorWriteConcurrency,
		Total:    options.MaxConcurrentReconciles * options.SelectorWriteConcurrency,
		Slow:     time.Second,
		Wait:     250 * time.Millisecond,
		Remember: time.Minute,
	}
}

// followDelay is when the API server can be trusted to serve the kinds as they are defined.
const followDelay = 3 * time.Second

// watchDefinitions wakes the rules whose kinds are defined anew, as long as this replica leads: at once, and again when
// the API server has had time to follow its definitions.
func (w *wiring) watchDefinitions(ctx context.Context) error {
	watch.Definitions(ctx, w.clients.metadata, func(definition watch.Definition) {
		if definition == (watch.Definition{}) {
			w.deps.Resolver.ResetTerminating()
		} else {
			w.deps.Resolver.SetTerminating(definition.GroupResource, definition.Terminating)
		}
		w.definitionsChanged(ctx, definition.Group)
		time.AfterFunc(followDelay, func() { w.definitionsChanged(ctx, definition.Group) })
	})
	// The watch does not tell of a change between the first read of the definitions of rules and its own beginning.
	time.AfterFunc(followDelay, func() { w.enqueueGroup(ctx, v1.GroupVersion.Group) })
	<-ctx.Done()
	return nil
}

func (w *wiring) definitionsChanged(ctx context.Context, group string) {
	w.deps.Resolver.DefinitionsChanged(group)
	w.enqueueGroup(ctx, group)
}

// enqueueGroup has the rules enqueued that a change of the definitions of the group concerns.
func (w *wiring) enqueueGroup(ctx context.Context, group string) {
	if ctx.Err() != nil {
		return
	}
	for _, waker := range w.projectors {
		if err := waker.DefinitionsChanged(ctx, group); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "Rules may learn late that their kind has changed", "group", group)
		}
	}
}

// cachesSynced is ready when every rule and every namespace is known.
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
