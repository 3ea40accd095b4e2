package projector

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/source"
)

// place names a ConfigMap.
func place(name string) ObjectRef {
	return ObjectRef{configMap, types.NamespacedName{Namespace: "home", Name: name}}
}

// writes is a rule that copies other places to one.
func writes(rule string, from ...ObjectRef) PlaceWriter {
	return PlaceWriter{
		Identity: owner.IdentityOf(owner.ClusterProjection, &v1.ClusterProjection{ObjectMeta: metav1.ObjectMeta{Name: rule}}),
		Sources:  from,
	}
}

// copyBy is the copy of a rule at a place.
func copyBy(rule string, at ObjectRef) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("v1")
	object.SetKind("ConfigMap")
	object.SetNamespace(at.Namespace)
	object.SetName(at.Name)
	object.SetAnnotations(map[string]string{v1.AnnotationOwnedByClusterProjection: rule, v1.AnnotationPlace: at.Namespace + "/" + at.Name})
	return object
}

// TestCircleBehindARival has two rules write the place of the source. Both copy the same object, which comes from a copy of this rule.
func TestCircleBehindARival(t *testing.T) {
	settings, middle, last := place("settings"), place("middle"), place("last")
	circle := map[ObjectRef][]PlaceWriter{
		settings: {writes("rival", middle), writes("real", middle)},
		middle:   {writes("middle", last)},
		last:     {writes("rule", settings)},
	}
	tests := map[string]struct {
		settings, middle string // whose copies they are
		found            bool
	}{
		"the copy of the rule that comes first":  {"rival", "middle", true},
		"the copy of the rule that comes second": {"real", "middle", true},
		"the copy of neither":                    {"another", "middle", false},
		"an object on the way is of another":     {"real", "another", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.hub.WritersOf = func(_ context.Context, at ObjectRef) ([]PlaceWriter, error) { return circle[at], nil }
			s := f.scope(newRule()).named()
			s.source = copyBy(test.settings, settings)
			s.onTheWay.get(middle, func() Fetched { return Fetched{object: copyBy(test.middle, middle)} })
			s.onTheWay.get(last, func() Fetched { return Fetched{err: source.ErrNotFound} })
			err := s.scope.checkRing(t.Context())
			if !test.found {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "rules copy in a circle: the ClusterProjection "+test.settings+" writes")
		})
	}
}

// TestCirclesOfSourcesAreLookedForAtOnce lets the search for one source end only when that for another one has begun.
func TestCirclesOfSourcesAreLookedForAtOnce(t *testing.T) {
	f := newFixture(t)
	met := make(chan struct{})
	f.hub.WritersOf = func(ctx context.Context, _ ObjectRef) ([]PlaceWriter, error) {
		select {
		case met <- struct{}{}:
		case <-met:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return nil, nil
	}
	s := f.scope(newRule())
	s.sources = append(s.sources, s.newSourceScope(s.spec.For("other")))
	for _, source := range s.sources {
		source.source = copyBy("another", ObjectRef{configMap, source.sourceKey()})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	assert.NoError(t, s.checkRing(ctx))
}
