package watch

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// SetSelected says which objects of the kind the selectors of the rule have selected in the lists that were begun after WatchAll, and in which
// resourceVersion each was read; empty: it was not. The rule is enqueued when one of them changes, also if no selector matches it any more. It is
// enqueued at once if one has changed between WatchAll and SetSelected, after it was read.
//
// Example: a list of sources is read by pages. An object of the first page loses its label while the second page is read.
func (s *Sources) SetSelected(rule RuleKey, kind schema.GroupVersionResource, selected map[types.NamespacedName]string) {
	s.mu.Lock()
	known, found := s.rules[rule]
	overtaken := found && s.setSelected(rule, known, kind, selected)
	s.mu.Unlock()
	if overtaken {
		s.enqueue(rule, SourceChanged, s.clock())
	}
}

func (s *Sources) setSelected(rule RuleKey, known *interest, kind schema.GroupVersionResource, selected map[types.NamespacedName]string) (overtaken bool) {
	before := *known
	known.selected = known.selectedOfOthers(kind)
	for object, version := range selected {
		at := location{kind, object}
		known.selected[at] = struct{}{}
		slot := s.slot(at.kind, at.NamespacedName)
		slot.followers[rule] = struct{}{}
		event, noted := known.noted[at]
		if noted && IsNewer(event.ResourceVersion, version) && IsNewer(event.ResourceVersion, slot.version) {
			slot.version, slot.content, slot.lastEvent = event.ResourceVersion, contentFingerprint{}, event
			overtaken = true
		}
	}
	known.stopNoting(kind)
	s.unfollowOthers(rule, &before, known)
	return overtaken
}

// Selected returns the objects of the kind that the selectors of the rule have selected last.
func (s *Sources) Selected(rule RuleKey, kind schema.GroupVersionResource) (selected []types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, found := s.rules[rule]; found {
		for at := range known.selected {
			if at.kind == kind {
				selected = append(selected, at.NamespacedName)
			}
		}
	}
	return selected
}
