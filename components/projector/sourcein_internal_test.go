package projector

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/components/source"
)

// TestCopyBesideItsSourceIsNotTheSource has a ConfigMap that is copied as a Secret of the same name, in its own namespace.
func TestCopyBesideItsSourceIsNotTheSource(t *testing.T) {
	s := newFixture(t).scope(newRule())
	kind := func(name string) copySet {
		gvk := source.Kind{}.GroupVersionKind
		gvk.Kind = name
		return copySet{kind: source.Kind{GroupVersionKind: gvk}}
	}
	assert.Equal(t, s.named().sourceKey(), s.sourceIn(kind("ConfigMap")))
	assert.Zero(t, s.sourceIn(kind("Secret")))
}
