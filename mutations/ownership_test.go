package mutations_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations"
)

func TestStampOwnership(t *testing.T) {
	run(t, mutations.StampOwnership, mutations.Input{Stamp: byProjection}, []row{
		{
			name:   "beside others",
			before: `metadata: {name: a, labels: {app: shop}, annotations: {note: kept, projection.sh/owned-by-projection: other/rule}}`,
			after: `
metadata:
  name: a
  labels: {app: shop, projection.sh/owned-by-projection-uid: 9b2f8a34-1d57-4f0e-8a21-0c1d2e3f4a5b}
  annotations: {note: kept, projection.sh/owned-by-projection: team/rule}`,
		},
		{
			name:   "alone",
			before: `metadata: {name: a}`,
			after: `
metadata:
  name: a
  labels: {projection.sh/owned-by-projection-uid: 9b2f8a34-1d57-4f0e-8a21-0c1d2e3f4a5b}
  annotations: {projection.sh/owned-by-projection: team/rule}`,
		},
	})
}

func TestStampWithoutLabel(t *testing.T) {
	stamp := mutations.Stamp{AnnotationKey: "example.com/owner", AnnotationValue: "me"}
	run(t, mutations.StampOwnership, mutations.Input{Stamp: stamp}, []row{{
		name: "annotation only", before: `{}`, after: `metadata: {annotations: {example.com/owner: me}}`,
	}})
}

func TestCopyWithoutOwnerIsRefused(t *testing.T) {
	for _, stamp := range []mutations.Stamp{{}, {AnnotationKey: "k"}, {AnnotationValue: "v"}, {LabelKey: "k", LabelValue: "v"}} {
		_, err := tryApply(t, mutations.StampOwnership, mutations.Input{Stamp: stamp}, map[string]any{})
		require.ErrorIs(t, err, mutations.ErrNoOwner)
	}
}
