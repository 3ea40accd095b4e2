package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

func TestStampPlace(t *testing.T) {
	run(t, mutations.StampPlace, mutations.Input{Stamp: mutations.Stamp{PlaceKey: v1.AnnotationPlace}}, []row{
		{
			name:   "beside others",
			before: `metadata: {name: a, namespace: x, annotations: {note: kept, projection.sh/place: y/b}}`,
			after:  `metadata: {name: a, namespace: x, annotations: {note: kept, projection.sh/place: x/a}}`,
		},
		{name: "alone", before: `metadata: {name: a, namespace: x}`, after: `metadata: {name: a, namespace: x, annotations: {projection.sh/place: x/a}}`},
	})
	run(t, mutations.StampPlace, mutations.Input{Stamp: byProjection}, []row{{name: "not asked for", before: `metadata: {name: a, namespace: x}`}})
}

func TestPlaceIsOutsideOfTheContentHash(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			in := inputFor(source, byClusterProjection)
			without := mustRender(t, in, placed(source, "a", "copy"))
			in.Stamp.PlaceKey = v1.AnnotationPlace
			with := mustRender(t, in, placed(source, "a", "copy"))
			assert.Equal(t, mutations.ContentHash(without), mutations.ContentHash(with))
			assert.Equal(t, "a/copy", with.GetAnnotations()[v1.AnnotationPlace])
			assert.NotContains(t, without.GetAnnotations(), v1.AnnotationPlace)
			assert.Equal(t, with, mustRender(t, in, with), "its own result")
		})
	}
}

func TestWhatDependsOnThePlaceComesLast(t *testing.T) {
	all := mutations.Names()
	for i, mutation := range mutations.ForPlace(mutations.Stamp{}) {
		require.Equal(t, all[len(all)-len(mutations.ForPlace(mutations.Stamp{}))+i], mutation.Name)
	}
}
