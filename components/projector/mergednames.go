package projector

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// namedObjects are what a copy names besides its source.
type namedObjects[O owner.Object] struct {
	// layers are those of the rule.
	layers []*sourceScope[O]
	// formers are objects that the rule does not merge any more, and that a selector of it might select.
	formers []*sourceScope[O]
	// removed are other objects that the rule does not merge any more.
	removed []*sourceScope[O]
	// hasUnknown reports whether a name is that of no object.
	hasUnknown bool
}

// naming remembers what copies name: most copies of a rule name the same. It is safe for concurrent use.
type naming[O owner.Object] struct {
	mu sync.Mutex
	// byText are the objects by what copies say, and layers those of the rule by their names. Both are empty when the layers have changed.
	byText map[string]*namedObjects[O]
	layers map[string]*sourceScope[O]
	// others are objects that the rule does not merge any more, by their names.
	others map[string]*sourceScope[O]
}

func (n *naming[O]) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.byText, n.layers = nil, nil
}

// namedBy returns what the copy names.
func (s *scope[O]) namedBy(copied *destination.State) *namedObjects[O] {
	n, text := &s.naming, copied.Named()
	if copied.HidesLayers {
		text = "hidden " + text
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if known := n.byText[text]; known != nil {
		return known
	}
	if n.layers == nil {
		n.byText, n.layers = map[string]*namedObjects[O]{}, map[string]*sourceScope[O]{}
		for _, source := range s.all() {
			n.layers[source.name()] = source
		}
	}
	found := &namedObjects[O]{}
	of, _, _ := strings.Cut(copied.Named(), " ")
	if layer := n.layers[of]; layer != nil && layer.isLayer { // it was the source
		found.layers = append(found.layers, layer)
	}
	names := copied.Layers()
	found.hasUnknown = len(names) > maxNamed || copied.HidesLayers && len(s.selections) > 0
	for _, name := range names[:min(len(names), maxNamed)] {
		s.addNamed(found, name, copied.HidesLayers)
	}
	n.byText[text] = found
	return found
}

// maxNamed is how many layers a copy names at most.
const maxNamed = v1.MaxSources + 16

// addNamed adds the object of that name. Nobody is asked of objects that somebody else than the operator says are in the copy.
func (s *scope[O]) addNamed(found *namedObjects[O], name string, isHidden bool) {
	if known := s.naming.layers[name]; known != nil {
		if known.isLayer {
			found.layers = append(found.layers, known)
		}
		return
	}
	object, ok := parseName(name)
	if !ok || isHidden {
		found.hasUnknown = true
		return
	}
	other := s.naming.others[name]
	if other == nil {
		if s.naming.others == nil {
			s.naming.others = map[string]*sourceScope[O]{}
		}
		other = s.newFormer(object)
		s.naming.others[name] = other
	}
	if other.selection != nil {
		found.formers = append(found.formers, other)
	} else {
		found.removed = append(found.removed, other)
	}
}

// parseName reads how annotations of copies name a layer.
func parseName(name string) (ObjectRef, bool) {
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[1] == "" || parts[2] == "" {
		return ObjectRef{}, false
	}
	object := ObjectRef{schema.GroupKind{Kind: parts[0]}, types.NamespacedName{Namespace: parts[1], Name: parts[2]}}
	return object, object.Kind == configMap || object.Kind == secret
}

// newFormer returns an object that the rule does not merge any more.
func (s *scope[O]) newFormer(object ObjectRef) *sourceScope[O] {
	ref := v1.SourceRef{Kind: object.Kind.Kind, Namespace: object.Namespace, Name: object.Name}
	former := s.newSourceScope(s.spec.OfLayer(v1.LayerSpec{Source: ref}))
	former.isLayer, former.isOptional, former.isFormer, former.kind = true, true, true, source.Kind{}
	if at := slices.IndexFunc(s.selections, func(each *mergedSelection[O]) bool { return each.isOf(object) }); at >= 0 {
		former.selection, former.kind = s.selections[at], s.selections[at].kind
	}
	return former
}

// namesOthers reports whether the copy names a layer that the rule does not have any more, or one that merges names another source: the rule asks
// the owners of these no more.
func (s *scope[O]) namesOthers(copied *destination.State) bool {
	if s.isMerge() && copied.IsOfAnother(s.spec.Source) {
		return true
	}
	named := s.namedBy(copied)
	return len(named.removed) > 0 || named.hasUnknown
}

// namesDenied reports whether the copy names a layer without consent. If somebody else says which layers it has, it may have any.
func (s *scope[O]) namesDenied(copied *destination.State) bool {
	if copied.HidesLayers && slices.ContainsFunc(s.layers, (*sourceScope[O]).lacksConsent) {
		return true
	}
	named := s.namedBy(copied)
	return slices.ContainsFunc(named.layers, (*sourceScope[O]).lacksConsent) || slices.ContainsFunc(named.formers, (*sourceScope[O]).lacksConsent) ||
		slices.ContainsFunc(named.removed, func(removed *sourceScope[O]) bool { return removed.isAsked() && removed.declared == nil })
}

// lacksConsent reports whether the copy names a layer without consent, or one of which nobody is asked.
func (s *scope[O]) lacksConsent(copied *destination.State) bool {
	return s.namesOthers(copied) || s.namesDenied(copied)
}

// isAsked reports whether it is known what the owner says of an object that the rule does not merge any more.
func (s *sourceScope[O]) isAsked() bool { return !s.problem.IsZero() }

// ask finds out what the owners say of objects that copies name, and that the rule does not merge any more, a few at a time. Of whose last event says
// that the owner consents, nobody is asked.
//
// Example: an object loses its label and is opted out, while a required layer is missing, so that the copies cannot be written without it.
func (s *scope[O]) ask(ctx context.Context, formers []*sourceScope[O]) {
	asked := slices.DeleteFunc(distinct(formers), func(former *sourceScope[O]) bool { return !former.hasToBeAsked(ctx) })
	s.explainUnselected(ctx, asked)
	for _, former := range asked {
		former.takeAsked(ctx)
	}
}

// hasToBeAsked reports whether it is not known what the owner of the object says.
func (s *sourceScope[O]) hasToBeAsked(ctx context.Context) bool {
	if s.isAsked() || s.failed != nil {
		return false
	}
	if s.kind == (source.Kind{}) {
		if s.kind, s.failed = s.planner.ResolveSourceKind(ctx, s.spec.Source); s.failed != nil {
			s.local.revokeErr = errors.Join(s.local.revokeErr, s.failed)
			return false
		}
	}
	if last := s.lastEvent(); last.ResourceVersion != "" && s.consents(last.Annotations) {
		s.problem = policy.Problem{Reason: v1.ReasonSourceDeleted, Message: s.kind.NameOf(s.spec.Source) + " is not merged any more"}
		s.declared = declaredBy(last.Annotations)
		s.permission, _ = policy.PermissionOf(last.Annotations) // with an error, it permits nothing
		return false
	}
	return true
}

// takeAsked takes what the owner says.
func (s *sourceScope[O]) takeAsked(ctx context.Context) {
	switch {
	case errors.Is(s.failed, plan.ErrNotRead): // the reconcile after this one asks
	case s.failed != nil:
		s.local.revokeErr = errors.Join(s.local.revokeErr, s.failed)
	case s.isSourceGone() && s.metadata != nil:
		s.declared = declaredBy(s.metadata.GetAnnotations())
	case s.isDenied():
		s.noteUnrecorded(s.endRecordOf(ctx))
	}
}

// declaredBy returns the annotations of an object; never nil.
func declaredBy(annotations map[string]string) map[string]string {
	if annotations == nil {
		return map[string]string{}
	}
	return annotations
}

// formersOfCopies returns the objects that copies name, that the rule does not merge any more, and that a selector of it might select.
func (s *scope[O]) formersOfCopies() []*sourceScope[O] {
	if len(s.selections) == 0 {
		return nil
	}
	for _, set := range s.local.sets {
		set.Cache.Select(s.id.Key(), func(_ types.NamespacedName, copied *destination.State) bool {
			s.namedBy(copied)
			return false
		})
	}
	s.naming.mu.Lock()
	defer s.naming.mu.Unlock()
	var formers []*sourceScope[O]
	for _, name := range slices.Sorted(maps.Keys(s.naming.others)) {
		if other := s.naming.others[name]; other.selection != nil {
			formers = append(formers, other)
		}
	}
	return formers
}

// askFormers asks of objects whose keys may stay in copies that are not written: those that only have to exist, and those that wait for their turn.
func (s *scope[O]) askFormers(ctx context.Context) {
	if !s.isCreateOnly() && s.spec.Rollout == nil {
		return
	}
	s.ask(ctx, s.formersOfCopies())
}
