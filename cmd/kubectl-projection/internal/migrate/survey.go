package migrate

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/policy"
)

// Ref names an object.
type Ref struct {
	Kind schema.GroupKind
	types.NamespacedName
}

// Survey collects what a tool has made, one object after the other. It keeps no content of objects.
type Survey struct {
	tool    Tool
	copies  map[Ref]made
	sources map[Ref]*source
}

// made is a copy that the tool has made.
type made struct {
	origin    types.NamespacedName
	originUID types.UID
	madeBy    string
	// labels and annotations are the keys of those that the copy has.
	labels, annotations []string
	// obstacle is why no rule adopts the copy; empty: one may.
	obstacle policy.Obstacle
}

// source is an object of which there are copies, or which the tool may copy.
type source struct {
	uid                 types.UID
	labels, annotations map[string]string
	grant               *grant
}

// NewSurvey returns a survey that has seen nothing.
func NewSurvey(tool Tool) *Survey {
	return &Survey{tool: tool, copies: map[Ref]made{}, sources: map[Ref]*source{}}
}

// See adds an object of the kind.
func (s *Survey) See(kind schema.GroupKind, object *metav1.PartialObjectMetadata) {
	ref, found := refOf(kind, object), s.tool.look(object)
	switch {
	case object.DeletionTimestamp != nil:
	case found.isCopy:
		s.copies[ref] = made{
			origin: found.origin, originUID: found.originUID, madeBy: found.madeBy, obstacle: policy.ObstacleTo(object),
			labels: slices.Sorted(maps.Keys(object.Labels)), annotations: slices.Sorted(maps.Keys(object.Annotations)),
		}
	case found.grant != nil:
		s.sources[ref] = sourceOf(object, found.grant)
	}
}

func refOf(kind schema.GroupKind, object metav1.Object) Ref {
	return Ref{kind, types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}}
}

func sourceOf(object *metav1.PartialObjectMetadata, given *grant) *source {
	return &source{object.UID, object.Labels, object.Annotations, given}
}

// Missing returns the objects of which there are copies, and which have not been seen as sources. A Ref without a name stands for all objects of
// the kind in the namespace.
func (s *Survey) Missing() []Ref {
	missing := map[Ref]bool{}
	for ref, copied := range s.copies {
		if copied.origin.Namespace == "" {
			continue
		}
		of := s.origin(Ref{ref.Kind, copied.origin})
		if _, seen := s.sources[of]; !seen {
			missing[of] = true
		}
	}
	return slices.SortedFunc(maps.Keys(missing), compareRefs)
}

// SeeSource adds an object of which there are copies. To the tool, it is no source.
func (s *Survey) SeeSource(kind schema.GroupKind, object *metav1.PartialObjectMetadata) {
	if ref := refOf(kind, object); s.sources[ref] == nil && object.DeletionTimestamp == nil {
		s.sources[ref] = sourceOf(object, nil)
	}
}

// maxChain is how many copies of copies are followed.
const maxChain = 16

// origin returns the object that the copies of this object come from: a copy consents to nothing, so a rule cannot copy it.
func (s *Survey) origin(of Ref) Ref {
	for range maxChain {
		copied, isCopy := s.copies[of]
		if !isCopy || copied.origin.Name == "" {
			return of
		}
		of.NamespacedName = copied.origin
	}
	return of
}

// sourceFor returns the object of which the object is a copy. A copy that does not name it has one if only one source pushes copies of its name
// into its namespace.
func (s *Survey) sourceFor(ref Ref, namespaces map[string]map[string]string) (of Ref, found bool) {
	copied := s.copies[ref]
	if copied.origin.Name != "" {
		return s.origin(Ref{ref.Kind, copied.origin}), true
	}
	var candidates []Ref
	for candidate, source := range s.sources {
		isOrigin := copied.originUID != "" && source.uid == copied.originUID
		isPushed := copied.originUID == "" && candidate.Name == ref.Name && source.grant != nil && source.grant.pushes.has(ref.Namespace, namespaces[ref.Namespace])
		if candidate.Kind == ref.Kind && (isOrigin || isPushed) {
			candidates = append(candidates, candidate)
		}
	}
	if len(candidates) != 1 {
		return Ref{}, false
	}
	return candidates[0], true
}
