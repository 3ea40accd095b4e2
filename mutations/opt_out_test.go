package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStampOptOut(t *testing.T) {
	rows := []row{
		{name: "alone", before: `metadata: {name: a}`, after: `metadata: {name: a, annotations: {projection.sh/projectable: "false"}}`},
		{
			name:   "in the place of consent",
			before: `metadata: {name: a, annotations: {note: kept, projection.sh/projectable: "true"}}`,
			after:  `metadata: {name: a, annotations: {note: kept, projection.sh/projectable: "false"}}`,
		},
	}
	run(t, mutations.StampOptOut, mutations.Input{OptOut: true}, rows)
	run(t, mutations.StampOptOut, mutations.Input{}, []row{{name: "not asked for", before: `metadata: {name: a}`}})
}
