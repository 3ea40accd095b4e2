package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

// proposal is a rule that a user thinks of.
type proposal struct {
	kind   owner.RuleKind
	object *unstructured.Unstructured
}

// inFiles returns the rules in files, and how many other objects there are.
func (o *options) inFiles(files []string, recursive bool, namespace string) (rules []proposal, others int, err error) {
	err = o.eachInFiles(files, recursive, func(object *unstructured.Unstructured, source string) error {
		kind, isRule := kindOf(object)
		if !isRule {
			others++
			return nil
		}
		if object.GetName() == "" {
			return fmt.Errorf("a %s in %s has no metadata.name", kind.Name, source)
		}
		rules = append(rules, proposalOf(kind, object, namespace))
		return nil
	})
	if err == nil && len(rules) == 0 {
		err = errors.New("there is no Projection and no ClusterProjection in the files")
	}
	return rules, others, err
}

// kindOf returns the kind of rules of which the object is one.
func kindOf(object *unstructured.Unstructured) (kind owner.RuleKind, isRule bool) {
	for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
		if object.GroupVersionKind() == v1.GroupVersion.WithKind(kind.Name) {
			return kind, true
		}
	}
	return owner.RuleKind{}, false
}

func proposalOf(kind owner.RuleKind, object *unstructured.Unstructured, namespace string) proposal {
	switch {
	case !kind.Namespaced:
		object.SetNamespace("")
	case object.GetNamespace() == "":
		object.SetNamespace(namespace)
	}
	return proposal{kind, object}
}

// changes are what a user would change of a rule.
type changes struct {
	selector            string
	labels, annotations []string
}

func (c changes) isZero() bool {
	return c.selector == "" && len(c.labels) == 0 && len(c.annotations) == 0
}

// ofRule returns the rule that the arguments name, with the changes.
func (c changes) ofRule(ctx context.Context, cluster *access.Cluster, args []string, namespace string) (proposal, error) {
	named, err := parseObject(cluster.Mapper, args)
	if err != nil {
		return proposal{}, err
	}
	kind, isRule := named.ruleKind()
	if !isRule {
		return proposal{}, fmt.Errorf("a %s is no rule: name a Projection or a ClusterProjection, or a file that has one", named.kind.Kind)
	}
	if !kind.Namespaced {
		namespace = ""
	}
	object, err := cluster.Content.Resource(access.ResourceOf(kind)).Namespace(namespace).Get(ctx, named.name, metav1.GetOptions{})
	if err != nil {
		return proposal{}, access.Explain(err, "read the "+unreadableRule(kind, namespace, named.name).String())
	}
	return proposal{kind, object}, c.apply(kind, object)
}

func (c changes) apply(kind owner.RuleKind, object *unstructured.Unstructured) error {
	if c.selector != "" {
		if kind.Namespaced {
			return errors.New("--set-selector is for ClusterProjections: the copy of a Projection is in its own namespace")
		}
		selector, err := metav1.ParseToLabelSelector(c.selector)
		if err != nil {
			return err
		}
		fields, err := fieldsOf(selector)
		if err != nil {
			return err
		}
		unstructured.RemoveNestedField(object.Object, "spec", "destination", "namespaces")
		if err := unstructured.SetNestedField(object.Object, fields, "spec", "destination", "namespaceSelector"); err != nil {
			return err
		}
	}
	for field, pairs := range map[string][]string{"labels": c.labels, "annotations": c.annotations} {
		for _, pair := range pairs {
			key, value, isPair := strings.Cut(pair, "=")
			if !isPair {
				return fmt.Errorf("%q is no KEY=VALUE", pair)
			}
			if err := unstructured.SetNestedField(object.Object, value, "spec", "overlay", field, key); err != nil {
				return err
			}
		}
	}
	return nil
}
