package mutations_test

import (
	"testing"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/mutations"
)

func TestOverlay(t *testing.T) {
	in := mutations.Input{Overlay: mutations.Overlay{
		Labels: map[string]string{"app": "overlaid", "tenant": "a", v1.LabelOwnedByProjectionUID: "stolen"},
		Annotations: map[string]string{
			"note": "overlaid", v1.AnnotationOwnedByClusterProjection: "stolen", v1.AnnotationProjectable: "true",
		},
	}}
	run(t, mutations.ApplyOverlay, in, []row{
		{
			name:   "wins, and lends neither ownership nor consent",
			before: `metadata: {name: a, labels: {app: shop, other: kept}, annotations: {note: source}}`,
			after:  `metadata: {name: a, labels: {app: overlaid, tenant: a, other: kept}, annotations: {note: overlaid}}`,
		},
		{
			name:   "onto nothing",
			before: `metadata: {name: a}`,
			after:  `metadata: {name: a, labels: {app: overlaid, tenant: a}, annotations: {note: overlaid}}`,
		},
	})
}

func TestOverlayIsGated(t *testing.T) {
	rows := []row{{name: "unchanged", before: `metadata: {name: a, labels: {}}`}}
	run(t, mutations.ApplyOverlay, mutations.Input{}, rows)
	reserved := map[string]string{v1.AnnotationProjectable: "true"}
	run(t, mutations.ApplyOverlay, mutations.Input{Overlay: mutations.Overlay{Annotations: reserved}}, rows)
}
