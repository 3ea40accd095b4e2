package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMissedCountEndsTheBenchWithAnError(t *testing.T) {
	const manager, limit = theManager, theLimit
	tests := map[string]struct {
		measured map[copier]map[string]float64
		scale    float64
		missed   string
	}{
		"all as it should be":              {map[copier]map[string]float64{manager: {"heal.requests": 3, "idle.requests": 0}}, 1, ""},
		"a request too many":               {map[copier]map[string]float64{manager: {"heal.requests": 4}}, 1, "requests, further ones is 4, and at most 3"},
		"a write after a restart":          {map[copier]map[string]float64{manager: {"restart.writes": 1}}, 1, "writes is 1, and at most 0"},
		"reads of a restart":               {map[copier]map[string]float64{manager: {"restart.requests": 2000}}, 1, "requests is 2000, and at most 1020"},
		"requests of a fan-out":            {map[copier]map[string]float64{manager: {"fanout.1000.edit.requests": 1005}}, 1, "requests is 1005, and at most 1004"},
		"a slow edit":                      {map[copier]map[string]float64{manager: {"edit.p50": 9}, limit: {"edit.p50": 1}}, 1, ""},
		"much memory":                      {map[copier]map[string]float64{manager: {"copies.rss": 30}}, 1, ""},
		"a slow restart":                   {map[copier]map[string]float64{manager: {"restart.ready": 60}}, 1, ""},
		"a request too many at a fraction": {map[copier]map[string]float64{manager: {"heal.requests": 4}}, 0.1, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newReport(options{scale: test.scale})
			for who, values := range test.measured {
				for result, value := range values {
					r.of(who).put(result, value)
				}
			}
			out := filepath.Join(t.TempDir(), "dist", "bench.json")
			err := r.finish(sizesFor(test.scale), out)
			if test.missed == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.missed)
			}
			content, err := os.ReadFile(out)
			require.NoError(t, err)
			assert.Contains(t, string(content), `"Manager"`, "the report is written in any case")
		})
	}
}
