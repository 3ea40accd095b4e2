package destination

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
)

// WithoutContent returns a renderer that knows what decides whether copies are in sync, and holds no content: it renders none. So many sources of
// one rule take little memory. A renderer whose copies can have different values is returned as it is.
func (r *Renderer) WithoutContent() *Renderer {
	if r.values != nil {
		return r
	}
	light := *r
	light.template = &unstructured.Unstructured{}
	light.template.SetName(r.template.GetName())
	light.notCopied, light.mutations, light.complete, light.light = nil, nil, nil, true
	return &light
}

// HasContent reports whether the renderer can render copies.
func (r *Renderer) HasContent() bool { return !r.light }

// WouldBeInSync reports whether SetDesired would return true. It changes nothing.
func (c *CopyCache) WouldBeInSync(at, rule types.NamespacedName, content string, known ...Fields) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.index.wouldBeInSync(at, rule, content, known)
}

// wouldBeInSync reports whether setDesired would return true.
func (x *copyIndex) wouldBeInSync(at, rule types.NamespacedName, content string, known FieldSets) bool {
	found, exists := x.entries[at]
	if !exists || found.Owner != rule {
		return false
	}
	e := *found
	if e.desiredBy != rule || e.fields == 0 || isAnyContent(e.desired) {
		e.fields = known.expected(e.Fields)
	}
	e.desired, e.desiredBy = content, rule
	_, backingOff := x.repairs.backingOff(at)
	return (e.fields != 0 || isAnyContent(content)) && e.inSync() && !backingOff
}

// SourceName returns the name of the object that the copy names as its source, if that is of the kind and in the namespace; else empty.
func (s State) SourceName(of v1.SourceRef) string {
	of.Name = ""
	prefix := SourceName(of)
	if source := s.source(); len(source) > len(prefix) && source[:len(prefix)] == prefix {
		return source[len(prefix):]
	}
	return ""
}
