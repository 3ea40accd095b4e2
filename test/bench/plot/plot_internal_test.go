package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// images is where the documents have their pictures, and the measurements of those.
const images = "../../../docs/images"

func TestCommittedPlotsAreThoseOfTheCommittedMeasurements(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, run([]string{filepath.Join(images, "bench.json"), dir}))
	for name := range plots {
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(images, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "make plots BENCH_OUT=docs/images/bench.json PLOTS=docs/images")
	}
}

func TestOnlyWhatWasMeasuredIsDrawn(t *testing.T) {
	limit := 2.5
	tests := map[string]struct {
		rows []row
		want []string
	}{
		"nothing":           {nil, nil},
		"one fan-out":       {[]row{{"fan-out 100, edit", "last copy", &limit, 3}}, nil},
		"fan-outs":          {[]row{{"fan-out 100, edit", "last copy", &limit, 3}, {"fan-out 1000, edit", "last copy", nil, 9}}, []string{"scale-fan-out.svg"}},
		"a change":          {[]row{{"edit", "p50", &limit, 3}}, []string{"scale-changes.svg"}},
		"without the limit": {[]row{{"edit", "p50", nil, 3}}, nil},
		"memory":            {[]row{{"memory, no rule", "RSS", nil, 50}, {"memory, 1000 copies", "RSS", nil, 60}}, []string{"scale-memory.svg"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			content, err := json.Marshal(report{Rows: test.rows})
			require.NoError(t, err)
			file := filepath.Join(dir, "bench.json")
			require.NoError(t, os.WriteFile(file, content, 0o600))
			require.NoError(t, run([]string{file, filepath.Join(dir, "out")}))
			entries, err := os.ReadDir(filepath.Join(dir, "out"))
			require.NoError(t, err)
			var drawn []string
			for _, entry := range entries {
				drawn = append(drawn, entry.Name())
				svg, err := os.ReadFile(filepath.Join(dir, "out", entry.Name()))
				require.NoError(t, err)
				require.NoError(t, xml.Unmarshal(svg, new(struct{})))
			}
			assert.Equal(t, test.want, drawn)
		})
	}
}

func TestSeries(t *testing.T) {
	limit := 2.5
	r := &report{Rows: []row{
		{"memory, no rule", "RSS", nil, 50},
		{"memory, no rule", "heap", nil, 7},
		{"memory, 1000 copies", "RSS", &limit, 60},
		{"memory, 0 unrelated", "RSS", nil, 51},
	}}
	ours, limits := r.series(`^memory, (?:no rule|(\d+) copies)$`, "RSS")
	assert.Equal(t, [][2]float64{{0, 50}, {1000, 60}}, pairs(ours))
	assert.Equal(t, [][2]float64{{1000, 2.5}}, pairs(limits))
}

func pairs(points interface {
	Len() int
	XY(i int) (float64, float64)
},
) [][2]float64 {
	var all [][2]float64
	for i := range points.Len() {
		x, y := points.XY(i)
		all = append(all, [2]float64{x, y})
	}
	return all
}
