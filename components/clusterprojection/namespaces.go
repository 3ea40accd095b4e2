package clusterprojection

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/watch"
)

// Namespaces knows the namespaces of the cluster by their metadata, and which of them a rule targets.
type Namespaces struct {
	reader      client.Reader
	excluded    map[string]bool
	permissions *watch.Permissions
	names       *watch.Names
	in          Cluster
}

// Cluster is the cluster of the namespaces.
type Cluster struct {
	// Kind is the kind of rules that have copies in the cluster.
	Kind owner.RuleKind
	// ScopeOf says which copies the rule is to have in the cluster. An error says that it is not known. Nil: a rule that names no clusters has copies
	// in every namespace that it targets, and others have none.
	ScopeOf func(rule *v1.ClusterProjection) (Scope, error)
}

// Scope says which copies a rule is to have in a cluster.
type Scope struct {
	// IsTarget reports whether the rule copies into the cluster.
	IsTarget bool
	// Excludes says why rules have no copies in a namespace of that name; empty: they may. A selector does not select the namespace then. Nil: there is
	// no such namespace.
	Excludes func(namespace string) string
}

// excludes says why rules have no copies in the namespace; empty: they may.
func (s Scope) excludes(namespace string) string {
	if s.Excludes == nil {
		return ""
	}
	return s.Excludes(namespace)
}

// NewNamespaces returns the namespaces that the cached reader knows. A selector selects none of the excluded ones. The permissions are
// those of the rules' sources, and the names those of the rules' expressions.
func NewNamespaces(reader client.Reader, excluded []string, permissions *watch.Permissions, names *watch.Names) *Namespaces {
	n := &Namespaces{reader: reader, excluded: map[string]bool{}, permissions: permissions, names: names, in: Cluster{Kind: owner.ClusterProjection}}
	for _, name := range excluded {
		n.excluded[name] = true
	}
	return n
}

// Set makes this the cluster of the namespaces. It is called before they are used.
func (n *Namespaces) Set(cluster Cluster) { n.in = cluster }

// Targets returns where the rule is to have copies, sorted by namespace: what its selector selects now, or what its list
// names. A terminating namespace is no target of a selector. A listed one that is terminating or does not exist is a target
// that is blocked; an event enqueues the rule when it no longer is.
func (n *Namespaces) Targets(ctx context.Context, rule *v1.ClusterProjection) ([]plan.Target, error) {
	scope, err := n.scopeOf(rule)
	if err != nil || !scope.IsTarget {
		return nil, err
	}
	list := watch.NewNamespaceList()
	if err := n.reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	matches, err := n.matcherIn(scope, rule)
	if err != nil {
		return nil, err
	}
	var targets []plan.Target
	selected := rule.Spec.Destination.NamespaceSelector != nil
	blocked := make(map[string]string, len(rule.Spec.Destination.Namespaces))
	for _, name := range rule.Spec.Destination.Namespaces {
		blocked[name] = "the namespace does not exist; the copy follows when it does"
	}
	for i := range list.Items {
		namespace := &list.Items[i]
		if _, listed := blocked[namespace.Name]; listed && namespace.DeletionTimestamp != nil {
			blocked[namespace.Name] = "the namespace is being deleted; the copy follows when it exists again"
		}
		if why := scope.excludes(namespace.Name); why != "" {
			if _, listed := blocked[namespace.Name]; listed {
				blocked[namespace.Name] = why
			}
			continue
		}
		if matches(namespace) {
			targets = append(targets, plan.Target{
				Namespace: namespace.Name, Selected: selected, Version: namespace.ResourceVersion,
				Labels: namespace.Labels, Annotations: namespace.Annotations,
			})
			delete(blocked, namespace.Name)
		}
	}
	for name, why := range blocked {
		targets = append(targets, plan.Target{Namespace: name, Blocked: why})
	}
	slices.SortFunc(targets, func(a, b plan.Target) int { return strings.Compare(a.Namespace, b.Namespace) })
	return targets, nil
}

// Unmatched says that the selector of a rule without targets matches none of the namespaces, and of how many.
func (n *Namespaces) Unmatched(ctx context.Context, _ *v1.ClusterProjection) string {
	list, alive := watch.NewNamespaceList(), 0
	if err := n.reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return "namespaceSelector matches no namespace"
	}
	for i := range list.Items {
		if isAlive(&list.Items[i]) {
			alive++
		}
	}
	return fmt.Sprintf("namespaceSelector matches none of %d namespaces; compare it with kubectl get namespaces --show-labels", alive)
}

// StillTarget returns a function that reports whether a namespace is still a target of the rule, as far as the cache knows.
func (n *Namespaces) StillTarget(ctx context.Context, rule *v1.ClusterProjection) func(namespace string) bool {
	matches, err := n.matcher(rule)
	return func(name string) bool {
		namespace := watch.NewNamespace()
		gone := n.reader.Get(ctx, client.ObjectKey{Name: name}, namespace, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
		if gone != nil || err != nil {
			return !apierrors.IsNotFound(gone)
		}
		return matches(namespace)
	}
}

// Dropped returns a function that reports whether a namespace exists and is no target of the rule, as far as the cache knows. A namespace
// that is terminating was not dropped: its objects are deleted with it.
func (n *Namespaces) Dropped(ctx context.Context, rule *v1.ClusterProjection) func(namespace string) bool {
	matches, err := n.matcher(rule)
	return func(name string) bool {
		namespace := watch.NewNamespace()
		unknown := n.reader.Get(ctx, client.ObjectKey{Name: name}, namespace, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
		return unknown == nil && err == nil && isAlive(namespace) && !matches(namespace)
	}
}

// matcher returns a function that reports whether a namespace is a target of the rule. It is for a reconcile, which asks about
// many namespaces.
func (n *Namespaces) matcher(rule *v1.ClusterProjection) (func(metav1.Object) bool, error) {
	scope, err := n.scopeOf(rule)
	if err != nil {
		return nil, err
	}
	return n.matcherIn(scope, rule)
}

func (n *Namespaces) matcherIn(scope Scope, rule *v1.ClusterProjection) (func(metav1.Object) bool, error) {
	if !scope.IsTarget {
		return func(metav1.Object) bool { return false }, nil
	}
	if rule.Spec.Destination.NamespaceSelector == nil {
		listed := sets.New(rule.Spec.Destination.Namespaces...)
		return func(namespace metav1.Object) bool {
			return isAlive(namespace) && listed.Has(namespace.GetName()) && scope.excludes(namespace.GetName()) == ""
		}, nil
	}
	selector, err := selectorOf(rule)
	if err != nil {
		return nil, err
	}
	return func(namespace metav1.Object) bool { return n.selects(rule, scope, selector, namespace) }, nil
}

func selectorOf(rule *v1.ClusterProjection) (labels.Selector, error) {
	selector, err := metav1.LabelSelectorAsSelector(rule.Spec.Destination.NamespaceSelector.LabelSelector())
	if err != nil {
		return nil, fmt.Errorf("destination.namespaceSelector is not valid: %w", err)
	}
	return selector, nil
}

// selects reports whether the rule, whose selector is given, has the namespace as a target. It does not select the excluded
// ones, nor the place of the source. What an expression names is known later: plan.Render leaves out the place of the source.
func (n *Namespaces) selects(rule *v1.ClusterProjection, scope Scope, selector labels.Selector, namespace metav1.Object) bool {
	name := namespace.GetName()
	source := rule.Spec.Source
	ontoSource := source.Cluster == n.in.Kind.Cluster && rule.GetCopyKind() == "" && name == source.Namespace && rule.GetDestinationName() == source.Name
	ontoItself := (ontoSource || ontoLayer(rule, name)) && rule.GetNameExpression() == ""
	return isAlive(namespace) && !n.excluded[name] && scope.excludes(name) == "" && !ontoItself && selector.Matches(labels.Set(namespace.GetLabels()))
}

// scopeOf says which copies the rule is to have in the cluster of the namespaces. An error says that it is not known.
func (n *Namespaces) scopeOf(rule *v1.ClusterProjection) (Scope, error) {
	if n.in.ScopeOf == nil {
		return Scope{IsTarget: rule.Spec.Destination.Clusters == nil}, nil
	}
	return n.in.ScopeOf(rule)
}

// ontoLayer reports whether the copy in the namespace would take the place of a layer of the rule.
func ontoLayer(rule *v1.ClusterProjection, namespace string) bool {
	if rule.Spec.Merge == nil { // most have none, and there are many namespaces
		return false
	}
	copies := cmp.Or(rule.GetCopyKind(), rule.Spec.Source.Kind)
	return slices.ContainsFunc(rule.GetMerge().Layers, func(layer v1.LayerSpec) bool {
		return layer.Source.Kind == copies && layer.Source.Namespace == namespace && layer.Source.Name == rule.GetDestinationName()
	})
}

// GoesWithNamespace reports whether the object goes with its namespace, which is being deleted, as far as the cache knows. An object that may have been
// created in another namespace of that name, later, does not: nothing can be created in a namespace that is being deleted.
func (n *Namespaces) GoesWithNamespace(ctx context.Context, object metav1.Object) bool {
	namespace := watch.NewNamespace()
	err := n.reader.Get(ctx, client.ObjectKey{Name: object.GetNamespace()}, namespace, &client.GetOptions{UnsafeDisableDeepCopy: new(true)})
	created := object.GetCreationTimestamp()
	return err == nil && namespace.DeletionTimestamp != nil && created.Before(namespace.DeletionTimestamp)
}

// isAlive reports whether the namespace is not terminating. A terminating one is no target.
func isAlive(namespace metav1.Object) bool { return namespace.GetDeletionTimestamp() == nil }
