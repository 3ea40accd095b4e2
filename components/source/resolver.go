package source

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/panics"
)

// Resolver finds kinds by discovery. It remembers what the API server said until a kind is missing in it, or definitions of the kind's
// group change. Who has to wait for the API server waits no longer than its context, and delays nobody else. It is safe for concurrent
// use.
type Resolver struct {
	client   discovery.DiscoveryInterfaceWithContext
	registry Registry
	proof    []string // the groups without which an answer is not complete
	clock    func() time.Time
	requests singleflight.Group // at most one at a time

	mu          sync.Mutex           // never held during a request
	known       *servedAPI           // nil: nothing yet
	changed     map[string]time.Time // when the definitions of a group changed last
	terminating map[schema.GroupResource]bool
	// hidden are kinds that are not served and of which objects may exist.
	hidden map[schema.GroupKind]hiddenKind
}

const (
	// propagation is how long an API server may take to serve kinds as their CustomResourceDefinitions say.
	propagation = 10 * time.Second
	// missTTL is how old the result of discovery has to be before it is fetched again because a kind is missing in it. So rules
	// that name unknown kinds cause few requests.
	missTTL = 2 * time.Second
	// debounce is how old the result of discovery has to be before it is fetched again because CustomResourceDefinitions have
	// changed: they change in bursts.
	debounce = 200 * time.Millisecond
	// discoveryTimeout is how long discovery may take.
	discoveryTimeout = 10 * time.Second
)

// allGroups stands for every API group.
const allGroups = ""

// Groups that every API server serves, without which an answer to discovery is not complete.
var (
	// RulesCluster are those of the cluster of the rules.
	RulesCluster = []string{corev1.GroupName, v1.GroupVersion.Group}
	// AnyCluster are those of any cluster.
	AnyCluster = []string{corev1.GroupName, authorizationv1.GroupName}
)

// NewResolver returns a resolver that asks the API server behind the clients. An answer to discovery that lacks one of the groups proves nothing.
func NewResolver(client discovery.DiscoveryInterfaceWithContext, registry Registry, groups []string) *Resolver {
	return &Resolver{
		client: client, registry: registry, proof: groups, clock: time.Now,
		changed: map[string]time.Time{}, terminating: map[schema.GroupResource]bool{}, hidden: map[schema.GroupKind]hiddenKind{},
	}
}

// DefinitionsChanged has the API server asked again, for it may serve other kinds of the group than before; "" stands for
// all groups.
func (r *Resolver) DefinitionsChanged(group string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	maps.DeleteFunc(r.changed, func(_ string, changed time.Time) bool {
		return now.Sub(changed) >= propagation && (r.known == nil || r.known.asked.After(changed))
	})
	r.changed[group] = now
	clear(r.hidden)
}

// SetTerminating notes whether the definition of a resource is being deleted. The API server still takes copies then, and may
// keep one for ever that comes when it has already deleted all objects of the kind.
func (r *Resolver) SetTerminating(resource schema.GroupResource, ending bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.terminating, resource)
	if ending {
		r.terminating[resource] = true
	}
}

// ResetTerminating forgets which definitions are being deleted: what has become of them is not known.
func (r *Resolver) ResetTerminating() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.terminating)
}

// IsPropagating reports whether the API server may not serve the kinds of the group yet as their CustomResourceDefinitions say, so that
// looking again soon may help.
func (r *Resolver) IsPropagating(group string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	return now.Sub(r.changed[group]) < propagation || now.Sub(r.changed[allGroups]) < propagation
}

// Resolve returns the kind that a rule's source is of: in the version that it pins, else in the preferred one. A kind
// that is not served, not namespaced or cannot be copied is a KindError; any other error says that nothing is known.
func (r *Resolver) Resolve(ctx context.Context, ref v1.SourceRef) (Kind, error) {
	if ref.Group == corev1.GroupName && ref.Kind == "Event" {
		return Kind{}, &KindError{
			Message: "an Event of the core group is about an object in its own namespace, so it cannot be copied",
			Advice:  "set source.group to events.k8s.io if the Event is about an object elsewhere",
		}
	}
	return r.resolve(ctx, versionedKind(ref))
}

// ResolveKind returns the kind in its preferred version.
func (r *Resolver) ResolveKind(ctx context.Context, kind schema.GroupKind) (Kind, error) {
	return r.resolve(ctx, kind.WithVersion(""))
}

// IsKnown reports whether Resolve returns the kind without a request.
func (r *Resolver) IsKnown(ref v1.SourceRef) bool {
	served := r.newer(r.lastChange(ref.Group))
	if served == nil {
		return false
	}
	_, _, err := served.find(versionedKind(ref))
	return err == nil
}

func versionedKind(ref v1.SourceRef) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: ref.Group, Version: ref.Version, Kind: ref.Kind}
}

// ResolveResource returns the kind that is served as the resource.
func (r *Resolver) ResolveResource(ctx context.Context, resource schema.GroupVersionResource) (Kind, error) {
	served, err := r.discover(ctx, r.lastChange(resource.Group))
	if err != nil {
		return Kind{}, err
	}
	version := resource.GroupVersion()
	if list := served.resources[version]; list != nil {
		for i := range list.APIResources {
			if list.APIResources[i].Name == resource.Resource {
				return newKind(version, &list.APIResources[i], true)
			}
		}
	}
	if cause, silent := served.silent[version]; silent {
		return Kind{}, undiscovered(version, cause)
	}
	return Kind{}, &KindError{
		Message:   fmt.Sprintf("the API server does not serve %s of %s", resource.Resource, version),
		Advice:    "install what provides it",
		NotServed: true,
	}
}

// resolve looks a second time before it calls a kind missing: what is remembered may be older than the kind.
func (r *Resolver) resolve(ctx context.Context, wanted schema.GroupVersionKind) (Kind, error) {
	served, err := r.discover(ctx, r.lastChange(wanted.Group))
	if err != nil {
		return Kind{}, err
	}
	kind, err := r.kindIn(served, wanted)
	if err == nil {
		return kind, nil
	}
	if served, err = r.discover(ctx, r.clock().Add(-missTTL)); err != nil {
		return Kind{}, err
	}
	return r.kindIn(served, wanted)
}

func (r *Resolver) kindIn(served *servedAPI, wanted schema.GroupVersionKind) (Kind, error) {
	version, resource, err := served.find(wanted)
	if err != nil {
		return Kind{}, err
	}
	if r.isTerminating(version.WithResource(resource.Name).GroupResource()) {
		return Kind{}, &KindError{
			Message: "somebody is deleting the CustomResourceDefinition of " + resource.Kind,
			Copies:  "Kubernetes deletes all objects of the kind with it, copies included",
			Advice:  "create it again, or delete this rule",
		}
	}
	return newKind(version, resource, wanted.Version != "")
}

func (r *Resolver) isTerminating(resource schema.GroupResource) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.terminating[resource]
}

// lastChange returns when the definitions of the group changed last. A change of which the API server was asked so shortly before that
// it is one of a burst counts as earlier than that.
func (r *Resolver) lastChange(group string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := r.changed[group]
	if all := r.changed[allGroups]; all.After(changed) {
		changed = all
	}
	if burst := r.clock().Add(-debounce); changed.After(burst) {
		return burst
	}
	return changed
}

// newer returns what the API server has said when it was asked after that time, and nil if it was not.
func (r *Resolver) newer(than time.Time) *servedAPI {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known != nil && r.known.asked.After(than) {
		return r.known
	}
	return nil
}

// discover returns what the API server says when it is asked after that time. Callers share requests.
//
// Example: a definition changes while the API server does not answer. A rule with a kind of that group waits here, until discoveryTimeout
// at most, and is retried with backoff. Rules with kinds of other groups find what they need in the last answer.
func (r *Resolver) discover(ctx context.Context, after time.Time) (*servedAPI, error) {
	for {
		if served := r.newer(after); served != nil {
			return served, nil
		}
		answer := r.requests.DoChan("", func() (any, error) { return nil, r.ask(context.WithoutCancel(ctx)) })
		select {
		case ended := <-answer:
			if ended.Err != nil {
				return nil, ended.Err
			}
		case <-ctx.Done():
			return nil, failedDiscovery(ctx.Err())
		}
	}
}

// ask asks the API server what it serves.
func (r *Resolver) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, discoveryTimeout)
	defer cancel()
	asked := r.clock()
	return panics.Catch(func() error {
		served, err := discoverAPI(ctx, r.client, asked, r.proof)
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.known = served
		return nil
	}, func(p panics.Panic) error {
		p.Log(log.FromContext(ctx), errPanic)
		return errPanic
	})
}
