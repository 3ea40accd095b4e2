package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/definition"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/freshness"
	"projection.sh/operator/components/lane"
	"projection.sh/operator/components/metrics"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projection"
	"projection.sh/operator/components/projector"
	"projection.sh/operator/components/push"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// component is the name of the operator in events.
const component = "projection"

// New returns a manager with both kinds of rules set up. Its watches end with the context.
func New(ctx context.Context, config *rest.Config, options Options) (manager.Manager, error) {
	outages := &freshness.Outages{}
	mgr, guard, err := newManager(ctx, config, options, outages)
	if err != nil {
		return nil, err
	}
	wiring, err := wire(ctx, mgr, options, outages)
	if err != nil {
		return nil, err
	}
	if wiring.remotes, err = connectRemotes(mgr, options, guard, wiring.needed(mgr.GetRESTMapper())); err != nil {
		return nil, err
	}
	if err := wiring.readElsewhere(ctx, mgr, options); err != nil {
		return nil, err
	}
	if err := wiring.setUp(ctx, mgr, options); err != nil {
		return nil, err
	}
	if err := errors.Join(wiring.servePublications(mgr, options), publishInfo(mgr, options)); err != nil {
		return nil, err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, mgr.AddReadyzCheck("caches", cachesSynced(mgr))
}

// wiring holds what both kinds share, and the projector of each.
type wiring struct {
	clients    reach.Clients
	hub        projector.Hub
	member     projector.Member
	config     projector.Config
	remotes    *remotecluster.Registry // nil: without --remote-clusters
	version    *serverVersion
	projectors map[string]enqueuer
	schemas    map[string]*definition.Definition // by kind of rules
	push       *push.Clusters                    // nil: without --remote-clusters
}

// enqueuer is a projector of either kind.
type enqueuer interface {
	Enqueue(rule watch.RuleKey, trigger watch.Trigger, noticed time.Time)
	Requeue(rule watch.RuleKey)
	DefinitionsChanged(ctx context.Context, group string) error
	ClusterChanged(ctx context.Context, cluster string) error
	NamespaceChanged(ctx context.Context, namespace string) error
	EachRemoteSource(ctx context.Context, cluster string, do func(namespace string, source v1.SourceRef)) error
	WritersOf(ctx context.Context, at projector.ObjectRef) ([]projector.PlaceWriter, error)
}

func wire(ctx context.Context, mgr manager.Manager, options Options, outages *freshness.Outages) (*wiring, error) {
	clients, err := reach.NewClients(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("connect to the API server: %w", err)
	}
	w := &wiring{clients: clients, projectors: map[string]enqueuer{}, schemas: map[string]*definition.Definition{}}
	if w.config, err = newConfig(options); err != nil {
		return nil, err
	}
	w.hub = projector.Hub{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Recorder: mgr.GetEventRecorder(component), Outages: outages}
	w.hub.WritersOf, w.hub.Permissions, w.hub.Names = w.writersOf, watch.NewPermissions(), watch.NewNames()
	registry := options.Registry
	if registry == nil {
		registry = ctrlmetrics.Registry
	}
	if w.hub.Metrics, err = metrics.New(registry); err != nil {
		return nil, err
	}
	w.member, err = w.newMember(ctx, mgr, options)
	return w, err
}

func newConfig(options Options) (projector.Config, error) {
	mode, err := policy.ParseMode(options.SourceMode)
	if err != nil {
		return projector.Config{}, err
	}
	selector, err := labels.Parse(options.WatchLabelSelector)
	return projector.Config{
		Selector:           selector,
		Mode:               mode,
		DefaultAccount:     options.DefaultServiceAccount,
		RequireAccount:     options.RequireServiceAccount,
		Requeue:            options.RequeueInterval,
		ReadConcurrency:    options.SelectorWriteConcurrency,
		MaxSelectedContent: options.MaxSelectedContent,
	}, err
}

// newMember returns the cluster that the manager runs against. Its inventory depends on the kind of rules, and is not set.
func (w *wiring) newMember(ctx context.Context, mgr manager.Manager, options Options) (projector.Member, error) {
	var err error
	if w.version, err = newServerVersion(ctx, w.clients.Discovery); err != nil {
		return projector.Member{}, err
	}
	objects := watch.NewObjects(ctx, w.clients.Metadata)
	blockers := watch.NewBlockers(objects, w.enqueue)
	return projector.Member{
		SourceCluster: projector.SourceCluster{
			Resolver: source.NewResolver(w.clients.Discovery, source.Registry{Metadata: w.clients.Metadata, Objects: w.clients.Dynamic}, source.RulesCluster),
			Reader:   source.NewReader(w.clients.Content, w.clients.Metadata),
			Objects:  objects,
			Sources:  watch.NewSources(objects, w.enqueue),
			Reads:    lane.New[projector.Fetched](limits(options, options.MaxConcurrentReconciles), lane.ByKind, w.requeue),
		},
		Blockers:      blockers,
		Writer:        w.newWriter(mgr.GetClient(), blockers),
		Writes:        lane.New[destination.Outcome](limits(options, writesPerNamespace), lane.ByNamespace, w.requeue),
		ServerVersion: w.version.String,
	}, nil
}

func (w *wiring) newWriter(client client.Client, blockers destination.Blockers) *destination.Writer {
	return &destination.Writer{
		Client: client, Metadata: w.clients.Metadata, Writes: w.clients.Writes, Objects: w.clients.Content, Access: w.clients.Access, Blockers: blockers,
	}
}

// writesPerNamespace is how many writes and deletions of copies in one namespace may be under way.
const writesPerNamespace = 4

// setUp installs both kinds of rules, and the watches that they share.
func (w *wiring) setUp(ctx context.Context, mgr manager.Manager, options Options) error {
	namespaces := clusterprojection.NewNamespaces(mgr.GetClient(), options.ExcludedNamespaces(), w.hub.Permissions, w.hub.Names)
	if err := namespaces.Watch(ctx, mgr.GetCache(), w.enqueue); err != nil {
		return err
	}
	if err := projection.Watch(ctx, mgr.GetCache(), w.hub.Permissions, w.hub.Names, w.enqueue); err != nil {
		return err
	}
	isEnding := func(ctx context.Context, rule *v1.Projection) bool { return namespaces.GoesWithNamespace(ctx, rule) }
	if _, err := install(ctx, w, mgr, projection.Adapter(mgr.GetClient(), w.hub.Names, isEnding), options.MaxConcurrentReconciles); err != nil {
		return err
	}
	if err := w.installClusterProjections(ctx, mgr, namespaces, options); err != nil {
		return err
	}
	return mgr.Add(manager.RunnableFunc(w.watchDefinitions))
}

// install runs the projector of a kind, which has an inventory of its own.
func install[O owner.Object](
	ctx context.Context, w *wiring, mgr manager.Manager, adapter projector.Adapter[O], concurrency int,
) (*projector.Projector[O], error) {
	hub, member := w.hub, w.member
	hub.Schema = w.schemaOf(adapter.Kind.Name, adapter.New())
	member.Inventory = destination.NewInventory(ctx, adapter.Kind, w.clients.Metadata, w.enqueue)
	if _, err := mgr.GetCache().GetInformer(ctx, adapter.New()); err != nil { // known before the controller asks, for cachesSynced
		return nil, fmt.Errorf("watch the rules: %w", err)
	}
	p := projector.New(adapter, hub, member, w.config)
	w.projectors[adapter.Kind.Name] = p
	if err := p.SetupWithManager(mgr, concurrency); err != nil {
		return nil, err
	}
	return p, nil
}

// schemaOf returns the definition of the kind of rules.
func (w *wiring) schemaOf(kind string, rule client.Object) *definition.Definition {
	if w.schemas[kind] == nil {
		w.schemas[kind] = definition.New(w.hub.Live, kind, rule, w.config.Requeue)
	}
	return w.schemas[kind]
}

// enqueue enqueues the rule with the projector of its kind.
func (w *wiring) enqueue(rule watch.RuleKey, trigger watch.Trigger, noticed time.Time) {
	if projector, known := w.projectors[rule.Kind]; known {
		projector.Enqueue(rule, trigger, noticed)
	} else if w.push != nil {
		w.push.Enqueue(rule, trigger, noticed)
	}
}

// requeue enqueues the rule with the projector of its kind, since a request of an earlier reconcile has ended.
func (w *wiring) requeue(rule watch.RuleKey) {
	if projector, known := w.projectors[rule.Kind]; known {
		projector.Requeue(rule)
	} else if w.push != nil {
		w.push.Requeue(rule)
	}
}

// writersOf returns the rules of both kinds whose copy is to be this object.
func (w *wiring) writersOf(ctx context.Context, at projector.ObjectRef) ([]projector.PlaceWriter, error) {
	var writers []projector.PlaceWriter
	for _, projector := range w.projectors {
		found, err := projector.WritersOf(ctx, at)
		if err != nil {
			return nil, err
		}
		writers = append(writers, found...)
	}
	return writers, nil
}

// followDelay is when the API server can be trusted to serve the kinds as they are defined.
const followDelay = 3 * time.Second

// watchDefinitions enqueues the rules whose kinds are affected by a change of a CustomResourceDefinition, as long as this replica leads:
// at once, and again when the API server has had time to serve the kinds as they are defined.
func (w *wiring) watchDefinitions(ctx context.Context) error {
	watch.Definitions(ctx, w.clients.Metadata, func(definition watch.Definition) {
		if definition == (watch.Definition{}) {
			w.member.Resolver.ResetTerminating()
		} else {
			w.member.Resolver.SetTerminating(definition.GroupResource, definition.Terminating)
		}
		w.definitionsChanged(ctx, definition.Group)
		time.AfterFunc(followDelay, func() { w.definitionsChanged(ctx, definition.Group) })
	}, w.version.askAgain)
	go w.version.follow(ctx, func() { w.definitionsChanged(ctx, "") })
	// The watch does not tell of a change between the first read of the definitions of rules and its own beginning.
	time.AfterFunc(followDelay, func() { w.enqueueGroup(ctx, v1.GroupVersion.Group) })
	<-ctx.Done()
	return nil
}

func (w *wiring) definitionsChanged(ctx context.Context, group string) {
	w.member.Resolver.DefinitionsChanged(group)
	w.enqueueGroup(ctx, group)
}

// enqueueGroup has the rules enqueued that a change of the definitions of the group concerns.
func (w *wiring) enqueueGroup(ctx context.Context, group string) {
	if ctx.Err() != nil {
		return
	}
	for _, projector := range w.projectors {
		if err := projector.DefinitionsChanged(ctx, group); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "Rules may learn late that their kind has changed", "group", group)
		}
	}
	if w.push != nil {
		w.push.DefinitionsChanged(ctx, group)
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
