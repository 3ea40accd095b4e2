package projector

import (
	"context"
	"errors"
	"fmt"
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
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/projector/internal/memory"
	"projection.sh/operator/components/source"
	"projection.sh/operator/components/watch"
)

// PlaceWriter is a rule that wants a copy at a place.
type PlaceWriter struct {
	owner.Identity
	// Sources are what the rule copies there: its source, and the layers that are merged with it.
	Sources []ObjectRef
	// Named reports whether an expression gives the name of the copy. It may not be known which one it gives.
	Named bool
}

// ObjectRef names an object of a kind.
type ObjectRef struct {
	Kind schema.GroupKind
	types.NamespacedName
}

// sourcesOf returns what the rule copies, or merges, by what the spec says. Of what a selector selects, it is what the rule has found last.
func (p *Projector[O]) sourcesOf(ctx context.Context, rule types.NamespacedName, spec owner.Spec) (sources []ObjectRef) {
	for _, layer := range append([]v1.LayerSpec{{Source: spec.Source}}, spec.Merge.Layers...) {
		at := ObjectRef{layer.Source.GroupKind(), types.NamespacedName{Namespace: layer.Source.Namespace, Name: layer.Source.Name}}
		if layer.Source.Selector == nil {
			sources = append(sources, at)
			continue
		}
		kind, err := p.member.Resolver.ResolveKind(ctx, at.Kind)
		if err != nil { // the rule finds nothing either
			continue
		}
		key := watch.RuleKey{Kind: p.adapter.Kind.Name, NamespacedName: rule}
		for _, selected := range p.member.Sources.Selected(key, kind.GroupVersionResource()) {
			if selected.Namespace == at.Namespace {
				sources = append(sources, ObjectRef{at.Kind, selected})
			}
		}
	}
	return sources
}

func (w PlaceWriter) key() watch.RuleKey {
	return watch.RuleKey{Kind: w.Kind.Name, NamespacedName: w.Key()}
}

// byCopy is the field by which the cache finds the rules that want a copy of an object of one kind under one name, in any namespace.
const byCopy = "copy"

// anyName stands for the names that an expression gives, or those of selected sources. No object has it.
const anyName = ""

func copyField(kind schema.GroupKind, name string) string { return kind.String() + "/" + name }

// indexByCopy is a client.IndexerFunc.
func (p *Projector[O]) indexByCopy(object client.Object) []string {
	rule, ok := object.(O)
	if !ok {
		return nil
	}
	spec := p.adapter.Spec(rule)
	if spec.NameExpression != "" || spec.Selects() {
		return []string{copyField(spec.KindOfCopies(), anyName)}
	}
	return []string{copyField(spec.KindOfCopies(), spec.Name)}
}

// WritersOf returns the rules of the projector whose copy is to be this object, as far as the cache knows.
func (p *Projector[O]) WritersOf(ctx context.Context, at ObjectRef) ([]PlaceWriter, error) {
	var writers []PlaceWriter
	for _, name := range []string{at.Name, anyName} {
		options := []client.ListOption{client.MatchingFields{byCopy: copyField(at.Kind, name)}}
		if p.adapter.Kind.Namespaced {
			options = append(options, client.InNamespace(at.Namespace))
		}
		err := p.each(ctx, func(rule O) {
			isTarget := p.adapter.StillTarget == nil || p.adapter.StillTarget(ctx, rule)(at.Namespace)
			if rule.GetDeletionTimestamp().IsZero() && isTarget && p.mayName(ctx, rule, at.NamespacedName) {
				spec := p.adapter.Spec(rule).For(at.Name)
				sources := p.sourcesOf(ctx, client.ObjectKeyFromObject(rule), spec)
				writers = append(writers, PlaceWriter{owner.IdentityOf(p.adapter.Kind, rule), sources, spec.NameExpression != ""})
			}
		}, options...)
		if err != nil {
			return nil, err
		}
	}
	return writers, nil
}

// mayName reports whether the rule gives its copy in that namespace, as the namespace is now, that name. Where that cannot be known, it may: the
// rule was not reconciled yet, or the expression was edited since.
func (p *Projector[O]) mayName(ctx context.Context, rule O, at types.NamespacedName) bool {
	spec := p.adapter.Spec(rule)
	if spec.NameExpression == "" {
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
	if s.isLayer {
		return
	}
	var naming *destination.SourceNaming
	if s.hasNameExpression() && s.source != nil {
		s.hub.Names.Set(s.key, destination.NamesOf(s.key.Namespace, s.spec)) // before the namespace is read
		if of, err := s.rendering().NamingOf(s.key.Namespace, s.spec); err == nil {
			naming = of.Of(s.source)
		}
	}
	s.remembered(func(r *memory.Rule) { r.Naming = naming })
}

// ringLink is a place of a ring, and the rule that writes there.
type ringLink struct {
	at     ObjectRef
	writer PlaceWriter
}

// checkRing ends the reconcile if the source is a copy that other rules have made from the copy of this rule, and there is nothing but
// copies in that ring. Copies stay as they are: the rules whose source is gone delete theirs, and then those of the others follow.
//
// Example: rules copy n1/a to n2/a, n2/a to n3/a, and n3/a to n1/a. Somebody has made n1/a, so the third rule is in conflict with it.
// Then n1/a is deleted. If the third rule made n1/a from n3/a before n3/a is deleted, the copies would never end.
//
// What a rule merges must not come from its own copy at all: each write would add to the next.
func (s *scope[O]) checkRing(ctx context.Context) error {
	for _, source := range s.all() {
		err := source.checkRing(ctx)
		if err != nil && !s.spec.Selects() {
			return err
		}
		if err != nil && source.failed == nil {
			source.failed = err
		}
	}
	return nil
}

func (s *sourceScope[O]) checkRing(ctx context.Context) error {
	s.rememberNaming()
	if s.source == nil || s.hub.WritersOf == nil || !isCopy(s.source) {
		return nil
	}
	ring, err := s.findRing(ctx, s.sourceRef(), nil, map[watch.RuleKey]bool{})
	if err != nil || len(ring) == 0 {
		return s.ringUnknown(err)
	}
	because := "every object of the circle is a copy"
	if s.isMerge() {
		because = "what this rule merges must not come from its own copies"
	} else if found, err := s.hasSource(ctx, ring); err != nil || found {
		return s.ringUnknown(err)
	}
	by := ring[0].writer
	return &plan.Error{
		Condition: v1.ConditionSourceResolved,
		Problem: policy.Problem{
			Reason: v1.ReasonSourceNotProjectable,
			Message: fmt.Sprintf("rules copy in a circle: the %s %s writes %s from a copy of this rule, "+
				"and %s", by.Kind.Name, by.Ref(), s.kind.NameOf(s.spec.Source), because),
			Advice: "delete one of these rules, or create the object that they are to copy",
		},
		RequeueAfter: s.config.Requeue,
	}
}

func isCopy(object *unstructured.Unstructured) bool {
	_, one := owner.Projection.OwnerOf(object)
	_, other := owner.ClusterProjection.OwnerOf(object)
	return one || other
}

func (s *sourceScope[O]) ringUnknown(err error) error {
	if err == nil {
		return nil
	}
	return plan.Failed(v1.ConditionSourceResolved, policy.Problem{
		Reason: v1.ReasonSourceFetchFailed, Message: "it cannot be determined which rules write " + s.kind.NameOf(s.spec.Source),
	}, err)
}

// findRing returns the places through which this rule's source comes from its own copy, beginning with the source; nil if it does not.
// It goes by what rules say, and not by what objects there are.
func (s *sourceScope[O]) findRing(ctx context.Context, at ObjectRef, path []ringLink, seen map[watch.RuleKey]bool) ([]ringLink, error) {
	writers, err := s.writersOf(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, writer := range writers {
		next := append(slices.Clone(path), ringLink{at, writer})
		switch key := writer.key(); {
		case key == s.key && len(path) == 0: // the guard of the copy refuses to write onto the source
			continue
		case key == s.key:
			return next, nil
		case seen[key]:
			continue
		default:
			seen[key] = true
		}
		for _, source := range writer.Sources {
			if ring, err := s.findRing(ctx, source, next, seen); err != nil || ring != nil {
				return ring, err
			}
		}
	}
	return nil, nil
}

// writersOf returns the rules whose copy is to be this object. If an expression gives the name, it is not sure that they want it there: if there
// is an object, only its owner counts.
func (s *sourceScope[O]) writersOf(ctx context.Context, at ObjectRef) ([]PlaceWriter, error) {
	writers, err := s.hub.WritersOf(ctx, at)
	if err != nil || !slices.ContainsFunc(writers, func(w PlaceWriter) bool { return w.Named }) {
		return writers, err
	}
	object, err := s.objectAt(ctx, at)
	switch {
	case errors.Is(err, source.ErrNotFound):
		return writers, nil
	case err != nil:
		return nil, err
	}
	return slices.DeleteFunc(writers, func(w PlaceWriter) bool { return w.Named && !w.Owns(object) }), nil
}

// hasSource reports whether there is an object in the ring that its rule has not made. A place without an object is none.
func (s *sourceScope[O]) hasSource(ctx context.Context, ring []ringLink) (bool, error) {
	for _, link := range ring {
		object, err := s.objectAt(ctx, link.at)
		if errors.Is(err, source.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		if !link.writer.Owns(object) {
			return true, nil
		}
	}
	return false, nil
}

// objectAt reads an object of a ring. It is of the kind of the source, unless a rule of the ring copies to another kind.
func (s *sourceScope[O]) objectAt(ctx context.Context, at ObjectRef) (*unstructured.Unstructured, error) {
	if at == s.sourceRef() {
		return s.source, nil
	}
	kind := s.kind
	if at.Kind != kind.GroupKind() {
		var err error
		if kind, err = s.local.member.Resolver.ResolveKind(ctx, at.Kind); err != nil {
			return nil, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return s.local.member.Reader.ReadMetadata(limited, kind, v1.SourceRef{Namespace: at.Namespace, Name: at.Name})
}

// sourceRef names the source by the kind that the API server serves.
func (s *sourceScope[O]) sourceRef() ObjectRef { return ObjectRef{s.kind.GroupKind(), s.sourceKey()} }
