package plan

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/source"
	"projection.sh/operator/mutations"
)

// At returns where the copy is to be.
func (t Target) At() types.NamespacedName {
	return types.NamespacedName{Namespace: t.Namespace, Name: t.Name}
}

// Place returns the target as names and values of the copy may depend on it.
func (t Target) Place() destination.Target {
	return destination.Target{Namespace: t.Namespace, Name: t.Name, Version: t.Version, Labels: t.Labels, Annotations: t.Annotations}
}

// name gives the copies of the source in the cluster their names. An error concerns all of them.
func (c *Copies) name(cluster, tenant string, spec owner.Spec, object metav1.Object, with destination.Rendering) error {
	naming, err := with.NamingOf(tenant, spec)
	if err != nil {
		return err
	}
	return c.nameBy(cluster, naming.Of(object), spec)
}

// nameBy gives the copies their names. Where the owner of the source permits no copy, no expression is evaluated: its result, or its error, would
// say what labels the source has.
func (c *Copies) nameBy(cluster string, names *destination.SourceNaming, spec owner.Spec) error {
	for i := range c.Targets {
		target := &c.Targets[i]
		if target.Blocked != "" && names.DependsOnTarget() || target.NotPermitted != "" && spec.NameExpression != "" {
			continue
		}
		if target.Name, target.Unnamed = names.In(target.Place()); target.Unnamed != nil && !names.DependsOnTarget() {
			return errorOfAll(target.Unnamed)
		}
	}
	if spec.NameExpression != "" {
		c.leaveOutItself(cluster, spec)
	}
	return nil
}

// Name gives the copies of a source, which Place has returned, their names. Any error is an Error, and concerns all of them.
func (p *Planner[O]) Name(copies *Copies, names *destination.SourceNaming, kind source.Kind, spec owner.Spec) error {
	if err := copies.nameBy(p.Kind.Cluster, names, spec); err != nil {
		return unrendered(kind, spec, err)
	}
	return nil
}

// errorOfAll returns the error of one target as that of all.
func errorOfAll(err error) error {
	if failed, ok := errors.AsType[*destination.RenderError](err); ok && !failed.Retry {
		return &mutations.SourceError{Message: failed.Message}
	}
	return err
}

// leaveOutItself leaves out the target in which the copy would be the source itself, if the rule selects it. A rule that lists the namespace is
// refused there.
//
// Example: a rule selects all namespaces, copies platform/settings, and names copies target.labels['settings']. Platform has the label
// settings=settings.
func (c *Copies) leaveOutItself(cluster string, spec owner.Spec) {
	itself := types.NamespacedName{Namespace: spec.Source.Namespace, Name: spec.Source.Name}
	for i, target := range c.Targets {
		if target.Selected && spec.Source.Cluster == cluster && spec.CopyKind == "" && target.At() == itself {
			c.Itself = target.Namespace
			c.Targets = append(c.Targets[:i], c.Targets[i+1:]...)
			return
		}
	}
}
