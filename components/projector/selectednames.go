package projector

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
)

// namingOf returns what names the copies of a selected source; nil: there is no expression for names, or it cannot be compiled, which the rule
// reports. Of the source, the metadata are enough.
func (s *sourceScope[O]) namingOf(object metav1.Object) *destination.SourceNaming {
	if !s.hasNameExpression() {
		return nil
	}
	naming, err := s.rendering().NamingOf(s.key.Namespace, s.spec)
	if err != nil {
		return nil
	}
	return naming.Of(object)
}

// nameCopies gives the copies of a selected source their names. An error concerns all of them: no copy is written, and those that are there stay.
func (s *sourceScope[O]) nameCopies(copies *plan.Copies) error {
	if s.called != nil {
		return s.planner.Name(copies, s.called, s.kind, s.spec)
	}
	for i := range copies.Targets {
		copies.Targets[i].Name = s.spec.Name
	}
	return nil
}

// saidSource returns the name of the selected source of which the copy is, as the copy says; empty: it names none that the rule could have, one that
// would have another name, or somebody else than the rule says it.
func (s *scope[O]) saidSource(copied destination.Copy) string {
	name := copied.SourceName(s.spec.Source)
	if s.hasNameExpression() && copied.HidesSource || !s.hasNameExpression() && name != copied.Name {
		return ""
	}
	return name
}

// mayBeOf returns the names of the selected sources of which the copy may be; none: that is not known. Without an expression, the copy has the name of
// its source, whatever it says.
func (s *scope[O]) mayBeOf(copied destination.Copy) []string {
	said := copied.SourceName(s.spec.Source)
	switch {
	case s.hasNameExpression() && s.saidSource(copied) == "":
		return nil
	case s.hasNameExpression() || said == "":
		return []string{s.nameOfSource(copied)}
	default:
		return []string{copied.Name, said}
	}
}

// nameOfSource returns the name of the selected source of which the copy is; empty: that is not known, or the rule names its source. Without an
// expression, it is that of the copy: what the copy says does not count, since somebody may have written that, or the rule had another source. With
// one, the copy says it, unless somebody has changed that. Then it is the first one that would have a copy of that name now.
func (s *scope[O]) nameOfSource(copied destination.Copy) string {
	if !s.spec.Selects() {
		return ""
	}
	if !s.hasNameExpression() {
		return copied.Name
	}
	if name := s.saidSource(copied); name != "" {
		return name
	}
	for _, source := range s.sources {
		if s.hasName(source, copied.NamespacedName) {
			return source.spec.Source.Name
		}
	}
	return ""
}

// hidesSource reports whether it cannot be known of which source the copy is: it has another name than its source, and somebody has changed what it says.
func (s *scope[O]) hidesSource(copied destination.Copy) bool {
	return s.spec.Selects() && s.hasNameExpression() && s.saidSource(copied) == ""
}

// mayStayHidden reports whether a copy that hides its source stays, since it may be of one that cannot be copied at the moment. It does not if the owner
// of a source has taken consent back: it may be of that one, too.
func (s *scope[O]) mayStayHidden(copied destination.Copy) bool {
	isDenied := func(source *sourceScope[O]) bool { return source.isDenied() }
	return !slices.ContainsFunc(s.sources, isDenied) && slices.ContainsFunc(s.sources, func(source *sourceScope[O]) bool {
		target, planned := s.local.planned(source, copied.Namespace)
		return source.failed != nil || planned && target.Unnamed != nil
	})
}

// isUnknown reports whether it is not known what the copies of the source are to be. Then they stay.
func (s *scope[O]) isUnknown(copied destination.Copy) bool {
	if s.hidesSource(copied) {
		return s.mayStayHidden(copied)
	}
	source := s.selectedAs(s.nameOfSource(copied))
	return source != nil && source.failed != nil
}

// notReplaced returns the copies that are in the place of a copy of another source which cannot be written: what holds for copies that are not planned
// holds for them.
//
// Example: a and b have one name, and the copy is that of a. The owner of a takes off the label that the rule selects. The API server refuses the copy
// of b.
func (m *memberScope[O]) notReplaced(set copySet) (copies []destination.Copy) {
	if !m.scope.hasNameExpression() || !m.scope.spec.Selects() {
		return nil
	}
	for number, outcome := range m.outcomes {
		at := outcome.Place.NamespacedName
		if known := set.Cache.Known(at); outcome.Failed() && !outcome.Pending && known.Owner == m.scope.id.Key() {
			copied := destination.Copy{NamespacedName: at, State: known}
			if said := m.scope.saidSource(copied); said != "" && said != m.nameOf(m.wanted.Targets[number]) {
				copies = append(copies, copied)
			}
		}
	}
	return copies
}

// hasName reports whether the copy of the source at the place has the name that the expression gives it.
func (s *scope[O]) hasName(source *sourceScope[O], at types.NamespacedName) bool {
	name, known := source.nameIn(at.Namespace)
	return known && name == at.Name
}

// mayHide reports whether a copy at the place that hides its source may be of this one, which the rule selects: the expression gives it this name, or
// it is not known which one it gives.
//
// Example: somebody takes the annotation with the source off a copy, while the expression for names is not valid. The owner of the source opts out.
func (s *sourceScope[O]) mayHide(at types.NamespacedName) bool {
	name, known := s.nameIn(at.Namespace)
	return !known || name == at.Name
}

// nameIn returns the name that the expression gives the copy of the source in the namespace, and whether that is known.
func (s *sourceScope[O]) nameIn(namespace string) (name string, known bool) {
	i, isTarget := slices.BinarySearchFunc(s.selected.targets, namespace, func(t plan.Target, namespace string) int {
		return strings.Compare(t.Namespace, namespace)
	})
	if s.called == nil || !isTarget && s.called.DependsOnTarget() {
		return "", false
	}
	target := destination.Target{Namespace: namespace}
	if isTarget {
		target = s.selected.targets[i].Place()
	}
	name, err := s.called.In(target)
	return name, err == nil
}

// asksNoMore reports whether the copy in the place of one of that source names another source, whose owner the rule does not ask any more.
func (s *scope[O]) asksNoMore(source *sourceScope[O], copied *destination.State) bool {
	if !copied.IsOfAnother(source.spec.Source) {
		return false
	}
	other := s.selectedAs(copied.SourceName(s.spec.Source))
	return !s.hasNameExpression() || copied.HidesSource || other == nil || other.source == nil
}

// refuseTaken refuses names that copies cannot have. Of several sources with one name, the first in alphabetical order has the copy. No copy takes
// the place of a source of the rule, nor that of a copy whose source cannot be read, rendered or named: it is not known what that copy is to be.
//
// Example: an expression names copies by the label app, which is the same for the sources a and b. The copy is that of a. Then the owner of a opts
// out: the copy is deleted, and that of b is created.
func (s *scope[O]) refuseTaken(targets []plan.Target) {
	if !s.hasNameExpression() {
		return
	}
	taken, held := map[types.NamespacedName]string{}, s.heldPlaces(targets)
	for i := range targets {
		target := &targets[i]
		if target.Blocked != "" || target.NotPermitted != "" || target.Unnamed != nil {
			continue
		}
		at, source := target.At(), s.sources[target.Source]
		switch holder, isTaken := taken[at]; {
		case isTaken:
			target.Unnamed = s.takenName(source, at, "which is the name of the copy of "+holder)
		case held[at] != "":
			target.Unnamed = s.takenName(source, at, "which is the name of the copy of "+held[at]+", and that source cannot be copied at the moment")
		case s.isPlaceOfOther(source, at):
			target.Unnamed = s.takenName(source, at, "which is another source of this rule")
		default:
			taken[at] = source.sourceKey().String()
			continue
		}
		target.Name = ""
	}
}

// takenName is the error of a copy that cannot have the name.
func (s *scope[O]) takenName(source *sourceScope[O], at types.NamespacedName, why string) error {
	return &destination.RenderError{
		Message: fmt.Sprintf("destination.nameExpression results in %q for %s, %s", at.Name, source.sourceKey(), why), Taken: true,
	}
}

// heldPlaces returns where there are copies of sources of which it is not known what their copies are to be, with these sources.
func (s *scope[O]) heldPlaces(targets []plan.Target) map[types.NamespacedName]string {
	unnamed := map[types.NamespacedName]bool{}
	for _, target := range targets {
		if target.Unnamed != nil {
			unnamed[types.NamespacedName{Namespace: target.Namespace, Name: s.sources[target.Source].spec.Source.Name}] = true
		}
	}
	held := map[types.NamespacedName]string{}
	for _, copied := range s.local.sets[0].Cache.ByOwner(s.id.Key()) {
		source := s.selectedAs(s.saidSource(copied)) // what a copy hides is written over
		if source == nil || copied.Terminating {
			continue
		}
		if source.failed != nil || unnamed[types.NamespacedName{Namespace: copied.Namespace, Name: source.spec.Source.Name}] {
			held[copied.NamespacedName] = source.sourceKey().String()
		}
	}
	return held
}

// isPlaceOfOther reports whether the place is that of another source that the rule selects.
func (s *scope[O]) isPlaceOfOther(source *sourceScope[O], at types.NamespacedName) bool {
	return s.copyKind == s.kind && at.Namespace == s.spec.Source.Namespace && at != source.sourceKey() && s.selectedAs(at.Name) != nil
}
