package projector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/destination"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/source"
)

// newLayers returns the layers of the rule in their order. An object that is named twice, or that is the source, is one sourceScope, so that it is
// read once and has one content.
func (s *scope[O]) newLayers() []*sourceScope[O] {
	layers := make([]*sourceScope[O], len(s.spec.Merge.Layers))
	for i, layer := range s.spec.Merge.Layers {
		spec := s.spec.OfLayer(layer)
		for _, known := range slices.Concat(s.sources, layers[:i]) {
			if known.spec.Source.GroupKind() == spec.Source.GroupKind() && known.sourceKey() == keyOf(spec) {
				layers[i] = known
			}
		}
		if layers[i] == nil {
			layers[i] = s.newSourceScope(spec)
			layers[i].isLayer, layers[i].isOptional = true, layer.Optional
		}
		layers[i].isOptional = layers[i].isOptional && layer.Optional
	}
	return layers
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

// isMerge reports whether there are layers.
func (s *scope[O]) isMerge() bool { return len(s.layers) > 0 }

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
	return s.isLayer && (s.isDenied() || s.isSourceGone() && (s.lastEventObjects() || !s.consentIsRecorded()))
}

// name names the source or the layer as annotations of copies do.
func (s *sourceScope[O]) name() string {
	return destination.SourceName(s.spec.Source.GroupKind(), s.sourceKey())
}

// isNamedBy reports whether the content of the source or the layer is in the copy, as the copy says.
func (s *sourceScope[O]) isNamedBy(copied *destination.State) bool {
	return !s.isLayer || copied.Names(s.spec.Source.GroupKind(), s.sourceKey())
}

// isDeniedTo reports whether the copy may have the layer, whose owner does not consent.
func (s *sourceScope[O]) isDeniedTo(copied *destination.State) bool {
	return s.lacksConsent() && (copied.HidesLayers || s.isNamedBy(copied))
}

// namesOthers reports whether the copy names a layer that the rule does not have any more, or one that merges names another source: the rule asks
// the owners of these no more.
func (s *scope[O]) namesOthers(copied *destination.State) bool {
	named := copied.Layers()
	if s.isMerge() && copied.IsOfAnother(s.spec.Source.GroupKind(), keyOf(s.spec)) {
		return true
	}
	if len(named) == 0 {
		return false
	}
	all := s.all()
	return slices.ContainsFunc(named, func(name string) bool {
		return !slices.ContainsFunc(all, func(known *sourceScope[O]) bool { return known.name() == name })
	})
}

// namesDenied reports whether the copy names a layer without consent.
func (s *scope[O]) namesDenied(copied *destination.State) bool {
	return slices.ContainsFunc(s.layers, func(layer *sourceScope[O]) bool { return layer.isDeniedTo(copied) })
}

// lacksConsent reports whether the copy names a layer without consent, or one of which nobody is asked.
func (s *scope[O]) lacksConsent(copied *destination.State) bool {
	return s.namesOthers(copied) || s.namesDenied(copied)
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
func (s *scope[O]) checkLayers(context.Context) error {
	if !s.isMerge() || !s.whyNone().IsZero() {
		return nil
	}
	for _, source := range s.all() {
		if source.err != nil {
			return source.err
		}
	}
	for _, layer := range s.layers {
		if layer.source == nil && !layer.isOptional {
			return plan.MissingLayer(layer.kind, layer.spec.Source)
		}
	}
	return s.checkSize()
}

// maxMerged is how many bytes the source and its layers may have together. An object holds 1 MiB.
const maxMerged = 4 << 20

// checkSize refuses to merge what takes much memory, and cannot be written anyway.
func (s *scope[O]) checkSize() error {
	size := 0
	for _, from := range s.all() {
		if from.source != nil {
			size += source.SizeOf(from.source)
		}
	}
	if size <= maxMerged {
		return nil
	}
	return &plan.Error{Condition: v1.ConditionDestinationWritten, Problem: policy.Problem{
		Reason:  v1.ReasonRenderFailed,
		Message: "the source and the layers have together more than 4 MiB, and an object holds 1 MiB", Copies: policy.CopiesKept, Advice: "merge less",
	}}
}

// ownCopy is the error of a rule that names its own copy as a layer.
func (s *sourceScope[O]) ownCopy() error {
	return &plan.Error{Condition: v1.ConditionSourceResolved, Problem: policy.Problem{
		Reason:  v1.ReasonSourceNotProjectable,
		Message: "the layer " + s.kind.NameOf(s.spec.Source) + " is a copy of this rule", Advice: "remove it from the layers, or delete it",
	}}
}

// fetchAll reads the source and the layers at once: one that is slow delays no other. Where such reads are slow, plan.ErrNotRead says so, and the
// rule is enqueued when a slot is free or the read has ended.
func (s *scope[O]) fetchAll(ctx context.Context) {
	unread := s.all()
	for before := len(unread) + 1; len(unread) > 0 && len(unread) < before; { // those that have not got a slot have their turn next
		batch := s.openReads()
		for _, source := range unread {
			source.fetched = &Fetched{err: plan.ErrNotRead}
			target, read := source.reading()
			s.begin(ctx, batch, target, read, source.fetched)
		}
		batch.Wait(ctx)
		before = len(unread)
		unread = slices.DeleteFunc(unread, func(source *sourceScope[O]) bool { return !errors.Is(source.fetched.err, plan.ErrNotRead) })
	}
}

// namedLayers is how many layers a message names; the others are counted.
const namedLayers = 3

// foundLayers says how many layers are merged with the source, and which optional ones are not.
func (s *scope[O]) foundLayers() string {
	if !s.isMerge() {
		return ""
	}
	var without []string
	for _, layer := range s.all()[1:] {
		switch {
		case layer.isSourceGone():
			without = append(without, "the missing "+layer.kind.NameOf(layer.spec.Source))
		case layer.isDenied():
			without = append(without, "the "+layer.kind.NameOf(layer.spec.Source)+", whose owner does not consent")
		}
	}
	said := fmt.Sprintf("; %d of %d layers are merged with it", len(s.merged()), len(s.layers))
	if len(without) == 0 {
		return said
	}
	more := ""
	if hidden := len(without) - namedLayers; hidden > 0 {
		more = fmt.Sprintf(" and %d more", hidden)
	}
	return said + ", without " + strings.Join(without[:min(len(without), namedLayers)], ", ") + more
}
