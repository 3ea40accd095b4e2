package publication

import (
	"context"
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/expressions"
	"projection.sh/operator/components/fleet"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/reach"
	"projection.sh/operator/components/remotecluster"
	"projection.sh/operator/components/watch"
)

// side is a cluster as publications use it: that of a service, or of a consumer. It lasts as long as the connection.
type side struct {
	reach.Clients

	name     string                // of the RemoteCluster; empty: the operator's own cluster
	member   *remotecluster.Member // nil: the operator's own cluster
	identity string
	ctx      context.Context //nolint:containedctx // its watches end with it
	end      context.CancelFunc
	sources  *watch.Sources // of related objects
	kinds    kinds
}

// errNotConnected says that there is no connection to a cluster.
var errNotConnected = errors.New("the cluster is not connected")

// sides are the clusters in use. They are safe for concurrent use.
type sides struct {
	options Options
	ctx     context.Context //nolint:containedctx // watches end with it
	engine  *Engine

	mu     sync.Mutex
	opened map[string]*side
}

// get returns the cluster of the RemoteCluster of that name; empty: the operator's own. An error says that there is no connection.
func (s *sides) get(name string) (*side, error) {
	var member *remotecluster.Member
	if name != "" {
		found, isConnected := s.options.Registry.Get(name)
		if !isConnected {
			return nil, errNotConnected
		}
		member = found
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.opened[name]; known != nil && known.member == member {
		return known, nil
	}
	if known := s.opened[name]; known != nil {
		known.end()
	}
	opened := &side{name: name, member: member, identity: s.options.HubID, Clients: s.options.Hub}
	opened.ctx, opened.end = context.WithCancel(s.ctx)
	objects := watch.NewObjects(opened.ctx, opened.Metadata)
	if member != nil {
		opened.Clients, opened.identity = reach.ClientsOf(member), string(member.Identity())
		objects = watch.NewWitnessedObjects(opened.ctx, opened.Metadata, member.Presence())
	}
	opened.sources = watch.NewSources(objects, s.engine.relatedChanged)
	watch.Definitions(opened.ctx, opened.Metadata, func(definition watch.Definition) {
		opened.kinds.forget()
		s.engine.definitionChanged(opened.name, definition.GroupResource)
	}, func() {})
	s.opened[name] = opened
	return opened, nil
}

// witnessed returns the source as one of the cluster.
func (s *side) witnessed(source watch.Source) watch.Source {
	if s.member == nil {
		return source
	}
	return source.Witnessed(s.member.Presence())
}

// unreachable returns why the cluster cannot be reached now; nil: it can.
func (s *side) unreachable() error {
	if s == nil {
		return errNotConnected
	}
	if s.member == nil {
		return nil
	}
	_, cause := s.member.State()
	return cause
}

// sure returns nil if the cluster is the one that it was before. It asks.
func (s *side) sure(ctx context.Context) error {
	if s.member == nil {
		return nil
	}
	return s.member.Sure(ctx, 0)
}

// declared is what a RemoteCluster permits. The zero value is that of the operator's own cluster, which permits all.
type declared struct{ *v1alpha1.RemoteCluster }

func (s *sides) declared(ctx context.Context, name string) (declared, error) {
	if name == "" {
		return declared{}, nil
	}
	found := &v1alpha1.RemoteCluster{}
	err := s.options.Client.Get(ctx, client.ObjectKey{Name: name}, found)
	return declared{found}, err
}

// user returns in whose name objects are read and written.
func (d declared) user() impersonate.User {
	if d.RemoteCluster == nil || d.Spec.Impersonate == nil {
		return impersonate.Operator()
	}
	return impersonate.Named(d.Spec.Impersonate.User)
}

// forbids returns why the cluster permits no objects of the kind in that direction; empty: it does.
func (d declared) forbids(kind schema.GroupKind, direction v1alpha1.Direction) string {
	switch {
	case d.RemoteCluster == nil:
		return ""
	case d.DeletionTimestamp != nil:
		return "is being deleted"
	case d.Spec.Impersonate != nil && d.Spec.Impersonate.User == "":
		return "impersonates a user for each namespace of rules (impersonate.perNamespace), and a PublishedResource has no namespace"
	default:
		return d.outOfScope(kind, direction)
	}
}

func (d declared) paused() bool { return d.RemoteCluster != nil && d.Spec.Paused }

// target returns the cluster as expressions see it.
func (d declared) target(identity string) expressions.Target {
	if d.RemoteCluster == nil {
		return expressions.Target{ID: identity}
	}
	return expressions.Target{Name: d.Name, ID: identity, Labels: d.Labels}
}

// changed ends what was opened for a cluster that is not declared any more.
func (s *sides) changed(name string) {
	if s.options.Registry.IsDeclared(name) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.opened[name]; known != nil {
		known.end()
		delete(s.opened, name)
	}
}

// sentence says why a request to a cluster failed.
func (s *side) sentence(err error) string {
	if fleet.IsUnreachable(err) {
		return s.String() + " cannot be reached"
	}
	return s.String() + ": " + messageOf(err)
}

// String names the cluster.
func (s *side) String() string {
	if s == nil {
		return "the cluster"
	}
	if s.name == "" {
		return "this cluster"
	}
	return "the cluster " + s.name
}

func logError(ctx context.Context, err error, message, name string) {
	if ctx.Err() == nil {
		log.FromContext(ctx).Error(err, message, "publishedresource", name)
	}
}
