package projector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// layer is what a rule merges with its source: an object that it names, or those that it selects.
type layer[O owner.Object] struct {
	named    *sourceScope[O]
	selected *mergedSelection[O]
}

// newLayers sets what the rule merges. An object that is named twice, or that is the source, is one sourceScope, so that it is read once and has one
// content.
func (s *scope[O]) newLayers() {
	if s.spec.MergesSelected() {
		s.addSelection(&mergedSelection[O]{spec: s.spec, isOptional: true})
	}
	named := slices.Clone(s.sources)
	for _, each := range s.spec.Merge.Layers {
		spec := s.spec.OfLayer(each)
		if spec.Source.Selector != nil {
			s.addSelection(&mergedSelection[O]{spec: spec, isOptional: each.Optional})
			continue
		}
		at := slices.IndexFunc(named, func(known *sourceScope[O]) bool {
			return known.spec.Source.GroupKind() == spec.Source.GroupKind() && known.sourceKey() == keyOf(spec)
		})
		if at < 0 {
			at = len(named)
			named = append(named, s.newSourceScope(spec))
			named[at].isLayer, named[at].isOptional = true, each.Optional
		}
		named[at].isOptional = named[at].isOptional && each.Optional
		s.ordered = append(s.ordered, layer[O]{named: named[at]})
	}
	s.arrangeLayers()
}

func (s *scope[O]) addSelection(selected *mergedSelection[O]) {
	s.selections = append(s.selections, selected)
	s.ordered = append(s.ordered, layer[O]{selected: selected})
}

// arrangeLayers sets the layers that are known.
func (s *scope[O]) arrangeLayers() {
	s.layers = nil
	for _, each := range s.ordered {
		if each.named != nil {
			s.layers = append(s.layers, each.named)
		} else {
			s.layers = append(s.layers, each.selected.members...)
		}
	}
	s.naming.forget()
}

// all returns the source and the layers, each once.
func (s *scope[O]) all() []*sourceScope[O] {
	all := slices.Clone(s.sources)
	for _, layer := range s.layers {
		if !slices.Contains(all, layer) {
			all = append(all, layer)
		}
	}
	return all
}

// objects returns the source and the layers, each once. Where all selected sources are merged, they are layers.
func (s *scope[O]) objects() []*sourceScope[O] {
	return slices.DeleteFunc(s.all(), func(s *sourceScope[O]) bool { return s.spec.MergesSelected() })
}

// isMerge reports whether the rule merges several objects into one copy.
func (s *scope[O]) isMerge() bool { return s.spec.Merges() }

// merged returns the layers that are merged with the source, in their order.
func (s *scope[O]) merged() (layers []*unstructured.Unstructured) {
	for _, layer := range s.layers {
		if layer.source != nil {
			layers = append(layers, layer.source)
		}
	}
	return layers
}

// isDenied reports whether the owner of the source or the layer is known not to consent.
func (s *sourceScope[O]) isDenied() bool { return !s.problem.IsZero() && !s.isSourceGone() }

// lacksConsent reports whether no copy may have the keys of the layer: its owner does not consent, or it does not exist, and its owner is not known to
// have consented when it was read last.
//
// Example: the owner of a layer opts out while a rule is suspended, and deletes it. Then the rule is resumed.
func (s *sourceScope[O]) lacksConsent() bool {
	return s.isLayer && (s.isDenied() || s.isSourceGone() && s.declared == nil && (s.lastEventObjects() || !s.consentIsRecorded()))
}

// name names the source or the layer as annotations of copies do.
func (s *sourceScope[O]) name() string {
	return destination.SourceName(s.spec.Source)
}

// isNamedBy reports whether the content of the source or the layer is in the copy, as the copy says.
func (s *sourceScope[O]) isNamedBy(copied *destination.State) bool {
	return !s.isLayer || copied.Names(s.spec.Source)
}

// permission is where the owners of the source and of all layers permit copies.
func (s *scope[O]) permission() policy.Permission {
	permission := policy.Permission{}
	for _, source := range s.all() {
		permission = permission.And(source.permission)
	}
	return permission
}

// checkLayers ends the reconcile if it is not known what the copies are to be: a layer that is not optional does not exist, or the source or a layer
// could not be read. What is known of other layers has been acted upon: an opt-out holds whatever becomes of the rest.
func (s *scope[O]) checkLayers(ctx context.Context) error {
	if !s.isMerge() || !s.whyNone().IsZero() {
		return nil
	}
	if err := s.unreadLayer(); err != nil {
		return err
	}
	if s.spec.MergesSelected() && s.named().isSourceGone() { // no copy is wanted
		return nil
	}
	if missing := s.missingLayer(); missing != nil {
		return cmp.Or(s.endDropped(ctx), missing)
	}
	return s.checkSize()
}

// unreadLayer is why it is not known what the source or a layer is.
func (s *scope[O]) unreadLayer() error {
	if s.selected.tooMany {
		return s.tooMany()
	}
	for _, source := range s.all() {
		if source.err != nil {
			return source.err
		}
	}
	return s.selectionErr()
}

// missingLayer is the error of a rule with a layer that is not there and not optional.
func (s *scope[O]) missingLayer() error {
	for _, each := range s.ordered {
		switch {
		case each.named != nil && each.named.source == nil && !each.named.isOptional:
			return plan.MissingLayer(each.named.kind, each.named.spec.Source)
		case each.selected != nil && !each.selected.isOptional && !slices.ContainsFunc(each.selected.members, (*sourceScope[O]).isRead):
			return plan.MissingLayer(each.selected.kind, each.selected.spec.Source)
		}
	}
	return nil
}

// isRead reports whether there is something to merge.
func (s *sourceScope[O]) isRead() bool { return s.source != nil }

// endDropped deletes or retains the copies in namespaces that are not targets any more, of a rule that cannot be carried out: what the copies are to be
// decides nothing about them.
func (s *scope[O]) endDropped(ctx context.Context) error {
	if s.adapter.Dropped == nil {
		return nil
	}
	if err := s.local.loadInventory(ctx); err != nil {
		return err
	}
	dropped, dispose := s.adapter.Dropped(ctx, s.rule), s.disposalOf(ctx)
	for _, set := range s.local.sets {
		var unwanted []unwantedCopy
		for _, copied := range set.Cache.ByOwner(s.id.Key()) {
			if dropped(copied.Namespace) && !s.local.revoked[set.target(copied.NamespacedName)] {
				unwanted = append(unwanted, unwantedCopy{copied, dispose(set, copied)})
			}
		}
		if err := s.local.endCopies(ctx, set, unwanted, s.local.plannedWrites()); err != nil {
			return err
		}
	}
	return nil
}

// plannedWrites are the places with requests under way, which ask themselves whether the copy is wanted.
func (m *memberScope[O]) plannedWrites() map[types.NamespacedName]bool {
	planned := map[types.NamespacedName]bool{}
	for target := range m.underWay {
		planned[target.NamespacedName] = true
	}
	return planned
}

// checkSize refuses to merge what takes much memory, and cannot be written anyway.
func (s *scope[O]) checkSize() error {
	size := 0
	for _, from := range s.objects() {
		if from.source != nil {
			size += source.SizeOf(from.source)
		}
	}
	if size <= plan.MaxMerged && !s.selected.isTooMuch {
		return nil
	}
	return plan.TooMuch()
}

// namedLayers is how many layers a message names; the others are counted.
const namedLayers = 3

// foundLayers says how many layers are merged with the source, and which optional ones are not.
func (s *scope[O]) foundLayers() string {
	layers := s.layers
	if s.spec.MergesSelected() {
		layers = layers[len(s.selections[0].members):]
	}
	if len(s.spec.Merge.Layers) == 0 {
		return ""
	}
	var without []string
	merged := 0
	for i, layer := range layers {
		if layer.source != nil {
			merged++
		}
		if slices.Contains(layers[:i], layer) {
			continue
		}
		switch {
		case layer.isSourceGone():
			without = append(without, "the missing "+layer.kind.NameOf(layer.spec.Source))
		case layer.isDenied():
			without = append(without, "the "+layer.kind.NameOf(layer.spec.Source)+", whose owner does not consent")
		}
	}
	said := fmt.Sprintf("; %d of %d layers are merged with it", merged, len(layers))
	if len(without) == 0 {
		return said
	}
	more := ""
	if hidden := len(without) - namedLayers; hidden > 0 {
		more = fmt.Sprintf(" and %d more", hidden)
	}
	return said + ", without " + strings.Join(without[:min(len(without), namedLayers)], ", ") + more
}
