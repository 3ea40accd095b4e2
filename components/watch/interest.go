package watch

import (
	"iter"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// interest is what a rule is enqueued for.
type interest struct {
	kinds     []schema.GroupVersionResource
	named     []location // few
	selectors []SourceOf
	// selected are the objects that the selectors have selected last; nil: there is no selector.
	selected map[location]struct{}
	// noted are the last events of the objects that the rule did not have as a source since WatchAll, of the kinds that it lists; nil: it lists none.
	noted   map[location]LastEvent
	listing []schema.GroupVersionResource
}

func newInterest(sources []SourceOf) *interest {
	i := &interest{}
	for _, source := range sources {
		if !slices.Contains(i.kinds, source.Kind) {
			i.kinds = append(i.kinds, source.Kind)
		}
		if source.Selector == nil {
			i.name(source.location())
			continue
		}
		i.selectors = append(i.selectors, source)
		if !slices.Contains(i.listing, source.Kind) {
			i.listing = append(i.listing, source.Kind)
		}
	}
	if len(i.listing) > 0 {
		i.selected, i.noted = map[location]struct{}{}, map[location]LastEvent{}
	}
	return i
}

// name adds an object that the rule names.
func (i *interest) name(at location) {
	if !slices.Contains(i.named, at) {
		i.named = append(i.named, at)
	}
}

// keepSelected takes over what was selected before where there is a selector, until SetSelected.
func (i *interest) keepSelected(before *interest) {
	if before == nil {
		return
	}
	for at := range before.selected {
		if i.selects(kindInNamespace{at.kind, at.Namespace}) {
			i.selected[at] = struct{}{}
		}
	}
}

// selects reports whether there is a selector for objects of the kind in the namespace.
func (i *interest) selects(in kindInNamespace) bool {
	return slices.ContainsFunc(i.selectors, func(s SourceOf) bool { return s.Kind == in.kind && s.Namespace == in.namespace })
}

// selectedOfOthers returns what is selected of other kinds.
func (i *interest) selectedOfOthers(kind schema.GroupVersionResource) map[location]struct{} {
	others := map[location]struct{}{}
	for at := range i.selected {
		if at.kind != kind {
			others[at] = struct{}{}
		}
	}
	return others
}

// stopNoting forgets the notes of events of the kind, and makes no more.
func (i *interest) stopNoting(kind schema.GroupVersionResource) {
	maps.DeleteFunc(i.noted, func(at location, _ LastEvent) bool { return at.kind == kind })
	i.listing = slices.DeleteFunc(slices.Clone(i.listing), func(listed schema.GroupVersionResource) bool { return listed == kind })
}

// places returns the objects of which an event is news.
func (i *interest) places() iter.Seq[location] {
	return func(yield func(location) bool) {
		for _, at := range i.named {
			if !yield(at) {
				return
			}
		}
		for at := range i.selected {
			if !yield(at) {
				return
			}
		}
	}
}

// follows reports whether an event of the object is news.
func (i *interest) follows(at location) bool {
	_, selected := i.selected[at]
	return selected || slices.Contains(i.named, at)
}

// noteEvent takes the event of an object that is no source of the rule, and reports whether a selector matches it.
func (i *interest) noteEvent(at location, object metav1.Object, deleted bool) (matches bool) {
	if slices.Contains(i.listing, at.kind) {
		i.noted[at] = LastEvent{
			Known: true, ResourceVersion: object.GetResourceVersion(), Deleted: deleted, Annotations: consentOf(object),
			Labels: labels.Merge(object.GetLabels(), nil),
		}
	}
	return slices.ContainsFunc(i.selectors, func(s SourceOf) bool {
		return s.Kind == at.kind && s.Namespace == at.Namespace && s.Selector.Matches(labels.Set(object.GetLabels()))
	})
}
