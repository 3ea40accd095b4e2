package projector

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// sourceScope is what one reconcile of a rule knows of one source, besides what it knows of the rule. What holds for a source, and what its owner
// permits, is decided here.
type sourceScope[O owner.Object] struct {
	*scope[O]
	// spec is what the rule asks for of this source.
	spec owner.Spec

	// isLayer reports whether it is a layer of a merge, and isOptional whether the rule does without it if need be.
	isLayer, isOptional bool
	// selection is the selector for which it is a layer; nil: the rule names it.
	selection *mergedSelection[O]
	// isFormer reports whether it is an object that copies name, and that the rule does not merge any more.
	isFormer bool

	// Set by resolveKind.
	kind source.Kind

	// Set by fetchAll.
	fetched *Fetched

	// Set by readSource.
	source   *unstructured.Unstructured // nil: it is not copied
	metadata *unstructured.Unstructured // if its content could not be read in the name of the rule's service account
	problem  policy.Problem             // why it is not copied
	err      error                      // why it is not known what it is
	version  string                     // that was read; empty: none was

	// Set by checkConsent: where the owner of the source permits copies.
	permission policy.Permission

	// Set by readSelected, of a source that the rule selects: what renders its copies, which fields of copies need not be looked at, why it is not
	// known what the copies are to be, and whether it was deleted after it was listed.
	renderer *destination.Renderer
	clean    *destination.CleanFields
	failed   error
	isGone   bool

	// Set by ask, of an object that copies name, and that the rule does not merge any more: what its owner declares; nil: it does not exist.
	declared map[string]string

	// Set by rememberNaming and takeMetadata, of a rule with an expression for names: what names the copies of the source; nil: that is not known.
	called *destination.SourceNaming
	// Set by plan: the namespace of the source, if the rule selects it and the copy there would be the source; otherwise empty.
	itself string

	// Set by readNewest: the newest version of the source, whose owner is asked before copies are retained.
	newest *Fetched
	// Set by newestConsent: whether the owner of the source consents to a copy, and the resourceVersion of the source that was read for that.
	consent   func(copySet, destination.Copy) bool
	confirmed string
}

func (s *scope[O]) newSourceScope(spec owner.Spec) *sourceScope[O] {
	return &sourceScope[O]{scope: s, spec: spec, kind: s.kind}
}

func (s *sourceScope[O]) sourceKey() types.NamespacedName { return keyOf(s.spec) }

// keyOf returns where the source is that the spec names.
func keyOf(spec owner.Spec) types.NamespacedName {
	return types.NamespacedName{Namespace: spec.Source.Namespace, Name: spec.Source.Name}
}

// named returns the source of a rule that names one.
func (s *scope[O]) named() *sourceScope[O] { return s.sources[0] }

// isCopied reports whether a source is copied.
func (s *scope[O]) isCopied() bool {
	return s.whyNone().IsZero() && slices.ContainsFunc(s.sources, func(source *sourceScope[O]) bool { return source.source != nil })
}

// whyNone says why the rule wants no copy; zero: it wants some. One that selects its sources wants what there is. That the owner of a layer does not
// consent comes before all else but that the owner of the source does not: its content must not stay, even where the rule retains copies of a source
// that is deleted.
func (s *scope[O]) whyNone() policy.Problem {
	if s.spec.Selects() {
		return policy.Problem{}
	}
	source := s.named()
	if !source.isDenied() {
		for _, layer := range s.layers {
			if layer.isLayer && !layer.isOptional && layer.isDenied() {
				return layer.problem
			}
		}
	}
	if s.spec.MergesSelected() { // what there is
		return policy.Problem{}
	}
	return source.problem
}

// whyNoCopy says why no copy is wanted, also where that is no failure: nothing is selected to be merged.
func (s *scope[O]) whyNoCopy() policy.Problem {
	if why := s.whyNone(); !why.IsZero() || !s.spec.MergesSelected() {
		return why
	}
	return s.named().problem
}

// isAnySource reports whether the source or a layer of the rule is the object of that kind.
func (s *scope[O]) isAnySource(set copySet, at types.NamespacedName) bool {
	return slices.ContainsFunc(s.all(), func(source *sourceScope[O]) bool {
		return source.spec.Source.Cluster == s.id.Kind.Cluster && set.kind.GroupKind() == source.spec.Source.GroupKind() && at == source.sourceKey()
	})
}

// sourceOf returns the source of a copy; nil: the copy names none that the rule could have, or one of which it cannot be. Somebody else may have
// written what the copy says. The rule may not select the source, or not any more.
func (s *scope[O]) sourceOf(copied destination.Copy) *sourceScope[O] {
	if !s.spec.Selects() {
		return s.named()
	}
	name := s.saidSource(copied)
	if name == "" {
		return nil
	}
	if selected := s.selectedAs(name); selected != nil {
		return selected
	}
	if s.others[name] == nil {
		if s.others == nil {
			s.others = map[string]*sourceScope[O]{}
		}
		s.others[name] = s.newSourceScope(s.spec.For(name))
	}
	return s.others[name]
}

// selectedAs returns the selected source with that name; nil: there is none.
func (s *scope[O]) selectedAs(name string) *sourceScope[O] {
	if !s.spec.Selects() {
		return nil
	}
	if len(s.byName) != len(s.sources) {
		s.byName = make(map[string]*sourceScope[O], len(s.sources))
		for _, source := range s.sources {
			s.byName[source.spec.Source.Name] = source
		}
	}
	return s.byName[name]
}

// isSelected reports whether the selector matches the source.
func (s *sourceScope[O]) isSelected() bool { return s.selectedAs(s.spec.Source.Name) == s }

// isSourcePlace reports whether the place is that of a source of the rule.
func (s *scope[O]) isSourcePlace(set copySet, at types.NamespacedName) bool {
	in := s.sourceIn(set)
	return at == in || s.spec.Selects() && at.Namespace == in.Namespace &&
		slices.ContainsFunc(s.sources, func(source *sourceScope[O]) bool { return source.sourceKey() == at })
}

// sourceIn returns where the source is if it is of the kind of the set, and in the cluster of the copies; otherwise zero, where no object is. Those that
// the rule selects have no one name.
func (s *scope[O]) sourceIn(set copySet) types.NamespacedName {
	if s.spec.Source.Cluster != s.id.Kind.Cluster || set.kind.GroupKind() != s.spec.Source.GroupKind() {
		return types.NamespacedName{}
	}
	return keyOf(s.spec)
}
