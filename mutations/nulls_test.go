package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestDropNulls(t *testing.T) {
	run(t, mutations.DropNulls, mutations.Input{}, []row{
		{
			name:   "fields at any depth",
			before: `{a: null, b: {c: null, d: 1}, e: [{f: null, g: 2}, [{h: null}]], i: {j: null}}`,
			after:  `{b: {d: 1}, e: [{g: 2}, [{}]], i: {}}`,
		},
		{name: "items keep their places", before: `{a: [1, null, 3]}`},
		{name: "what only looks empty", before: `{a: "", b: 0, c: false, d: {}, e: [], f: "null"}`},
	})
}
