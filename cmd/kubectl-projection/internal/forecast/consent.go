package forecast

import (
	"context"
	"slices"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// consent says whether the owner of a source permits a copy.
type consent int

const (
	granted consent = iota
	denied
	hidden // the caller may not read what decides it
)

// isOfRule reports whether the copy names a source of the rule, and no object that the rule neither merges nor may have selected.
func (l *leftovers) isOfRule(found place) bool {
	branch, isSource := l.branches[found.source]
	isOther := func(name string) bool { return l.layerOf(branch, name) == notMerged }
	return isSource && !slices.ContainsFunc(found.state.Layers(), isOther)
}

// mergesOthers reports whether the rule merges, and the copy names an object that the rule neither merges nor may have selected: nobody asks the owner of
// that any more.
func (l *leftovers) mergesOthers(found place) bool {
	return l.rule.Spec.Merges() && found.source != "" && !l.isOfRule(found)
}

// How a rule knows an object that a copy names.
type layering int

const (
	notMerged layering = iota // the rule does not merge it
	former                    // the rule does not merge it, and has a selector that may have selected it
	isMerged                  // the rule merges it
)

// layerOf says how the rule knows the object of that name.
func (l *leftovers) layerOf(branch Branch, name string) (known layering) {
	layers := append(slices.Clone(branch.spec.Merge.Layers), l.rule.Spec.Merge.Layers...)
	for _, layer := range append(layers, v1.LayerSpec{Source: l.rule.Spec.Source}) {
		ref := layer.Source
		switch {
		case SourceOf(ref).source() == name:
			return isMerged
		case ref.Selector != nil && destination.MayBeSelected(ref, name):
			known = former
		}
	}
	return known
}

// consentTo says whether the owners of what is in the copy permit one in the namespace. A source that does not exist consents only if the record of the
// rule names it.
func (l *leftovers) consentTo(found place, namespace string, isGone bool) consent {
	branch, isSource := l.branches[found.source]
	isFormer := func(name string) bool { return l.layerOf(branch, name) == former }
	switch {
	case !isSource:
		return granted // the copy is not retained
	case isGone:
		return l.recorded(found.source)
	case branch.Refused != nil || slices.ContainsFunc(found.state.Layers(), isFormer):
		return hidden
	default:
		return l.permits(branch.permission, namespace)
	}
}

// recorded says whether the owner of a source that does not exist had consented.
func (l *leftovers) recorded(source string) consent {
	recorded := ""
	if l.before != nil {
		recorded = l.before.Object.GetAnnotations()[v1.AnnotationConsentingSource]
	}
	switch recorded {
	case source:
		return granted
	case "":
		return denied
	default:
		return hidden // the record can have hashes of several sources
	}
}

// permits says whether the owners of what a rule copies, who permit copies there, permit one in the namespace.
func (f *Forecaster) permits(ctx context.Context, permission policy.Permission, namespace string) consent {
	if !permission.IsLimited() {
		return granted
	}
	labels, exists, err := watch.NamespaceLabels(ctx, f.namespaces, namespace)
	switch {
	case err != nil || !exists:
		return hidden
	case permission.Permits(labels):
		return granted
	default:
		return denied
	}
}
