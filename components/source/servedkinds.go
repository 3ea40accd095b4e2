package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
)

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=list
// +kubebuilder:rbac:groups=apiregistration.k8s.io,resources=apiservices,verbs=list

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// proofTimeout is how long it may take to find out whether a kind is registered.
const proofTimeout = time.Minute

// Registry reads which kinds are defined, whether the API server serves them or not.
type Registry struct {
	Metadata metadata.Interface
	Objects  dynamic.Interface
}

// HiddenObjectsError says that the API server does not serve a kind, and that objects of it may exist all the same.
type HiddenObjectsError struct {
	Kind schema.GroupKind
	// Message says what is known of the kind.
	Message string
}

func (e *HiddenObjectsError) Error() string { return e.Message }

// UnprovenError says that the API server does not serve a kind, and why it is not known whether objects of it exist.
type UnprovenError struct {
	Kind  schema.GroupKind
	Cause error
}

func (e *UnprovenError) Error() string {
	return fmt.Sprintf("the API server does not serve the kind %s, and it is not known whether it is defined: %v", e.Kind, e.Cause)
}

// Unwrap returns why it is not known.
func (e *UnprovenError) Unwrap() error { return e.Cause }

// ServedKinds returns those of the kinds that the API server serves, in their preferred version. It leaves out a kind without an
// error only if it is proven that there is no object of the kind in any namespace: that the kind is not served proves nothing.
// The error names all other kinds: objects of them may exist, and cannot be read.
//
// Example: a CustomResourceDefinition with served: false in every version keeps its objects.
func (r *Resolver) ServedKinds(ctx context.Context, kinds []schema.GroupKind) (existing []Kind, err error) {
	registered := &registrations{registry: r.registry}
	var errs []error
	for _, kind := range kinds {
		found, err := r.ResolveKind(ctx, kind)
		refusal, refused := errors.AsType[*KindError](err)
		switch {
		case err == nil:
			existing = append(existing, found)
		case !refused:
			errs = append(errs, err)
		case !refusal.clusterScoped:
			errs = append(errs, r.proveNoObjects(ctx, kind, registered))
		}
	}
	return existing, errors.Join(errs...)
}

// proveNoObjects returns nil if no object of the kind, which is not served, can exist. It remembers for a while that one may exist,
// since many rules can wait for one kind.
func (r *Resolver) proveNoObjects(ctx context.Context, kind schema.GroupKind, registered *registrations) error {
	if err := r.knownHidden(kind); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	err := registered.prove(ctx, kind)
	if _, notServed := errors.AsType[*HiddenObjectsError](err); notServed {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.hidden[kind] = hiddenKind{err, r.clock()}
	}
	return err
}

// hiddenKind is the error that says that objects of a kind may exist, and when it was found.
type hiddenKind struct {
	err   error
	since time.Time
}

func (r *Resolver) knownHidden(kind schema.GroupKind) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if doubt, found := r.hidden[kind]; found && r.clock().Sub(doubt.since) < propagation {
		return doubt.err
	}
	delete(r.hidden, kind)
	return nil
}

// registrations are read when they are first needed, and then once.
type registrations struct {
	registry Registry
	read     bool
	failure  error
	defined  []string // the names of all CustomResourceDefinitions that are not being deleted
	services []unstructured.Unstructured
}

// prove returns nil if the kind is registered nowhere. A built-in kind counts as registered: the API server may have stored
// objects of it before it was upgraded or configured not to serve it.
func (r *registrations) prove(ctx context.Context, kind schema.GroupKind) error {
	if scheme.Scheme.IsGroupRegistered(kind.Group) {
		return newHiddenObjects(kind, "the API server does not serve the built-in kind %s", kind)
	}
	if !r.read {
		r.failure, r.read = r.list(ctx), true
	}
	if r.failure != nil {
		return &UnprovenError{kind, r.failure}
	}
	for i := range r.services {
		group, _, _ := unstructured.NestedString(r.services[i].Object, "spec", "group")
		_, extension, _ := unstructured.NestedMap(r.services[i].Object, "spec", "service")
		if extension && group == kind.Group {
			return newHiddenObjects(kind, "the extension API server of the APIService %s does not serve the kind %s", r.services[i].GetName(), kind.Kind)
		}
	}
	return r.proveUndefined(ctx, kind)
}

func (r *registrations) list(ctx context.Context) error {
	defined, err := r.registry.Metadata.Resource(definitions).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range defined.Items {
		if defined.Items[i].DeletionTimestamp == nil { // else the API server deletes all objects
			r.defined = append(r.defined, defined.Items[i].Name)
		}
	}
	services, err := r.registry.Objects.Resource(apiServices).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	r.services = services.Items
	return nil
}

// proveUndefined reads the definitions of the kind's group. It lists each by its name, since the operator may list them all.
func (r *registrations) proveUndefined(ctx context.Context, kind schema.GroupKind) error {
	for _, name := range r.defined {
		if !strings.HasSuffix(name, "."+kind.Group) {
			continue
		}
		found, err := r.registry.Objects.Resource(definitions).List(ctx, metav1.ListOptions{
			FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String(),
		})
		if err != nil {
			return &UnprovenError{kind, err}
		}
		for i := range found.Items {
			if defines(found.Items[i].Object, kind) {
				return newHiddenObjects(kind, "the CRD %s does not serve the kind %s", name, kind.Kind)
			}
		}
	}
	return nil
}

// defines reports whether the definition is of the kind, and of objects in namespaces.
func defines(definition map[string]any, kind schema.GroupKind) bool {
	group, _, _ := unstructured.NestedString(definition, "spec", "group")
	scope, _, _ := unstructured.NestedString(definition, "spec", "scope")
	wanted, _, _ := unstructured.NestedString(definition, "spec", "names", "kind")
	accepted, _, _ := unstructured.NestedString(definition, "status", "acceptedNames", "kind")
	return group == kind.Group && scope == "Namespaced" && (wanted == kind.Kind || accepted == kind.Kind)
}

func newHiddenObjects(kind schema.GroupKind, format string, args ...any) error {
	return &HiddenObjectsError{Kind: kind, Message: fmt.Sprintf(format, args...)}
}
