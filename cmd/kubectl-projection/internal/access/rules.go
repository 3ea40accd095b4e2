package access

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/clusterprojection"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/projection"
)

// Rule is a rule of either kind.
type Rule struct {
	owner.Identity

	Object owner.Object
	Spec   owner.Spec
	// SourceCluster is the RemoteCluster in which the source is; empty: it is in this cluster.
	SourceCluster string
	// Clusters selects the RemoteClusters that the copies are written into; nil: they are in this cluster.
	Clusters *v1.ClusterTargets
}

// IsObserved reports whether the operator has seen the present rule.
func (r Rule) IsObserved() bool {
	return r.Object.GetCommonStatus().ObservedGeneration == r.Object.GetGeneration()
}

// kinds of rules, and the resources as which they are served.
var (
	Projections        = v1.GroupVersion.WithResource("projections")
	ClusterProjections = v1.GroupVersion.WithResource("clusterprojections")
)

// ResourceOf returns the resource as which rules of the kind are served.
func ResourceOf(kind owner.RuleKind) schema.GroupVersionResource {
	if kind.Namespaced {
		return Projections
	}
	return ClusterProjections
}

// KindOf returns the kind of the rules that are served as the resource.
func KindOf(resource schema.GroupResource) (kind owner.RuleKind, isRule bool) {
	switch resource {
	case Projections.GroupResource():
		return owner.Projection, true
	case ClusterProjections.GroupResource():
		return owner.ClusterProjection, true
	default:
		return owner.RuleKind{}, false
	}
}

// String returns the kind and the name of the rule, as sentences of the operator have them.
func (r Rule) String() string { return r.Kind.Name + " " + r.Ref() }

// Argument returns the rule as kubectl takes it as an argument, without its namespace.
func (r Rule) Argument() string { return strings.ToLower(r.Kind.Name) + "/" + r.Name }

// Condition returns the condition of that type; nil: the operator has not reported it.
func (r Rule) Condition(conditionType string) *metav1.Condition {
	return meta.FindStatusCondition(r.Object.GetCommonStatus().Conditions, conditionType)
}

var (
	specOfProjection        = projection.Adapter(nil, nil, nil).Spec
	specOfClusterProjection = clusterprojection.Adapter(nil).Spec
)

// RuleOf returns the rule that the object is.
func RuleOf(kind owner.RuleKind, object *unstructured.Unstructured) (Rule, error) {
	object.SetManagedFields(nil)
	cluster, _, _ := unstructured.NestedString(object.Object, "spec", "source", "cluster")
	if kind.Namespaced {
		rule := &v1.Projection{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, rule)
		return Rule{owner.IdentityOf(kind, rule), rule, specOfProjection(rule), cluster, nil}, err
	}
	rule := &v1.ClusterProjection{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, rule)
	return Rule{owner.IdentityOf(kind, rule), rule, specOfClusterProjection(rule), cluster, rule.Spec.Destination.Clusters}, err
}

// Rule reads a rule.
func (c *Cluster) Rule(ctx context.Context, kind owner.RuleKind, namespace, name string) (Rule, error) {
	if !kind.Namespaced {
		namespace = ""
	}
	object, err := c.Content.Resource(ResourceOf(kind)).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return Rule{}, Explain(err, "read the "+Rule{Identity: owner.Identity{Kind: kind, Namespace: namespace, Name: name}}.String())
	}
	return RuleOf(kind, object)
}

// Rules are those that a caller may list.
type Rules struct {
	Items []Rule
	// Unknown are the resources that the caller may not list, or not in all namespaces.
	Unknown []string
}

// Rules lists the Projections of the namespace and all ClusterProjections. Without a namespace, it lists the Projections of all of them.
func (c *Cluster) Rules(ctx context.Context, namespace string, options metav1.ListOptions) (Rules, error) {
	var rules Rules
	for _, kind := range []owner.RuleKind{owner.ClusterProjection, owner.Projection} {
		in := namespace
		if !kind.Namespaced {
			in = ""
		}
		err := c.EachObject(ctx, ResourceOf(kind), in, options, func(object *unstructured.Unstructured) error {
			rule, err := RuleOf(kind, object)
			rules.Items = append(rules.Items, rule)
			return err
		})
		if IsUnknown(err) {
			rules.Unknown = append(rules.Unknown, ResourceOf(kind).Resource)
			continue
		}
		if err := Explain(err, "list "+ResourceOf(kind).Resource); err != nil {
			return Rules{}, err
		}
	}
	return rules, nil
}
