package projector

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/watch"
	"projection.sh/operator/mutations"
)

// PlaceWriter is a rule that wants a copy at a place.
type PlaceWriter struct {
	owner.Identity
	// Sources are what the rule copies there: its source, and the layers that are merged with it.
	Sources []ObjectRef
	// Named reports whether an expression gives the name of the copy. It may not be known which one it gives.
	Named bool
	// Merges reports whether the copy can have several sources.
	Merges bool
}

// ObjectRef names an object of a kind.
type ObjectRef struct {
	Kind schema.GroupKind
	types.NamespacedName
}

// isAny reports whether it stands for any object in the namespace.
func (r ObjectRef) isAny() bool { return r.Name == anyObject }

// sourcesOf returns what a rule copies to a place with that name. Of a rule that selects its sources, and does not name each copy like its source, it
// can be any object in the namespace. An object in another cluster is none.
func sourcesOf(spec owner.Spec, copied string) []ObjectRef {
	if spec.Source.IsRemote() {
		return nil
	}
	of := func(spec owner.Spec) ObjectRef {
		if spec.Source.Selector != nil {
			spec.Source.Name = anyObject
		}
		return ObjectRef{spec.Source.GroupKind(), keyOf(spec)}
	}
	if spec.Selects() && spec.NameExpression == "" && spec.Name == "" && copied != anyObject {
		spec = spec.For(copied)
	}
	sources := []ObjectRef{of(spec)}
	for _, layer := range spec.Merge.Layers {
		sources = append(sources, of(spec.OfLayer(layer)))
	}
	return sources
}

// saidSources returns what a copy says that it was made of, and whether it says that.
func (w PlaceWriter) saidSources(copied *unstructured.Unstructured) (sources []ObjectRef, known bool) {
	annotations := copied.GetAnnotations()
	said, layers := []string{annotations[v1.AnnotationSource]}, annotations[v1.AnnotationLayers]
	switch {
	case layers == "" && w.Merges:
		return nil, false
	case layers != "" && layers != mutations.NoLayers:
		said = append(said, strings.Split(layers, ",")...)
	}
	for _, name := range said {
		parts := strings.Split(name, "/")
		if len(parts) != 3 {
			return nil, false
		}
		if strings.Contains(parts[0], ":") { // an object in another cluster
			continue
		}
		sources = append(sources, ObjectRef{schema.ParseGroupKind(parts[0]), types.NamespacedName{Namespace: parts[1], Name: parts[2]}})
	}
	return sources, true
}

func (w PlaceWriter) key() watch.RuleKey {
	return watch.RuleKey{Kind: w.Kind.String(), NamespacedName: w.Key()}
}

// byCopy is the field by which the cache finds the rules that want a copy of an object of one kind under one name, in any namespace.
const byCopy = "copy"

const (
	// anyName stands for the names that an expression gives, or those of selected sources. No object has it.
	anyName = ""
	// anyObject stands for the names of all objects in a namespace. No object has it.
	anyObject = "*"
)

func copyField(kind schema.GroupKind, name string) string { return kind.String() + "/" + name }

// indexByCopy is a client.IndexerFunc.
func (p *Projector[O]) indexByCopy(object client.Object) []string {
	rule, ok := object.(O)
	if !ok {
		return nil
	}
	spec := p.adapter.Spec(rule)
	kind, name := spec.KindOfCopies(), spec.Name
	if spec.NameExpression != "" { // a rule that selects its sources has no name either, unless it merges them
		name = anyName
	}
	return []string{copyField(kind, name), copyField(kind, anyObject)}
}

// WritersOf returns the rules of the projector whose copy is to be this object, as far as the cache knows.
func (p *Projector[O]) WritersOf(ctx context.Context, at ObjectRef) ([]PlaceWriter, error) {
	var writers []PlaceWriter
	names := []string{at.Name, anyName}
	if at.isAny() {
		names = []string{anyObject}
	}
	for _, name := range names {
		options := []client.ListOption{client.MatchingFields{byCopy: copyField(at.Kind, name)}}
		if p.adapter.Kind.Namespaced {
			options = append(options, client.InNamespace(at.Namespace))
		}
		err := p.each(ctx, func(rule O) {
			isTarget := p.adapter.StillTarget == nil || p.adapter.StillTarget(ctx, rule)(at.Namespace)
			if rule.GetDeletionTimestamp().IsZero() && isTarget && p.mayName(ctx, rule, at.NamespacedName) {
				spec := p.adapter.Spec(rule)
				writers = append(writers, PlaceWriter{
					Identity: owner.IdentityOf(p.adapter.Kind, rule), Sources: sourcesOf(spec, at.Name),
					Named: spec.NameExpression != "" || at.isAny(), Merges: spec.Merges(),
				})
			}
		}, options...)
		if err != nil {
			return nil, err
		}
	}
	return writers, nil
}

// mayName reports whether the rule gives its copy in that namespace, as the namespace is now, that name. Where that cannot be known, it may: the
// rule was not reconciled yet, or the expression was edited since, or the rule may have had a source that is deleted now.
func (p *Projector[O]) mayName(ctx context.Context, rule O, at types.NamespacedName) bool {
	spec := p.adapter.Spec(rule)
	if spec.NameExpression == "" || spec.Selects() || at.Name == anyObject {
		return true
	}
	var naming *destination.SourceNaming
	p.memory.DoIfKnown(client.ObjectKeyFromObject(rule), func(r *memory.Rule) { naming = r.Naming })
	targets, err := p.adapter.Targets(ctx, rule)
	if naming == nil || err != nil {
		return true
	}
	i, found := slices.BinarySearchFunc(targets, at.Namespace, func(t plan.Target, namespace string) int {
		return strings.Compare(t.Namespace, namespace)
	})
	if !found {
		return false
	}
	gives, err := naming.Gives(at.Name, targets[i].Place(), spec.NameExpression)
	return gives || err != nil
}

// rememberNaming remembers what names the copies of a rule with an expression, so that rules in a circle are found before one of them writes. Layers
// name no copy.
func (s *sourceScope[O]) rememberNaming() {
	if s.isLayer || s.scope.spec.Selects() {
		return
	}
	var naming *destination.SourceNaming
	if s.hasNameExpression() && s.source != nil {
		s.hub.Names.Set(s.key, destination.NamesOf(s.key.Namespace, s.spec)) // before the namespace is read
		if of, err := s.rendering().NamingOf(s.key.Namespace, s.spec); err == nil {
			naming = of.Of(s.source)
		}
	}
	s.called = naming
	s.remembered(func(r *memory.Rule) { r.Naming = naming })
}
