package main

import (
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/plot/plotter"
)

// The two programs that are measured.
const (
	operator = "operator"
	minimal  = "minimal client"
)

// singleChanges are the rows that change one object at a time: as the plot names them, and by the pattern of their name.
var singleChanges = []struct{ name, row string }{
	{"source edited", `^edit$`},
	{"copy deleted", `^self-heal, of \d+$`},
	{"namespace selected", `^label gained, of \d+$`},
	{"namespace deselected", `^label lost, of \d+$`},
}

// find returns the row whose name fits the pattern, and that has the measure.
func (r *report) find(pattern, measure string) (row, bool) {
	name := regexp.MustCompile(pattern)
	i := slices.IndexFunc(r.Rows, func(l row) bool { return name.MatchString(l.Row) && l.Measure == measure })
	if i < 0 {
		return row{}, false
	}
	return r.Rows[i], true
}

// series returns the points of a measure, by the number in the name of their row: the first group of the pattern. An empty group is zero.
func (r *report) series(pattern, measure string) (ours, limits plotter.XYs) {
	name := regexp.MustCompile(pattern)
	for _, l := range r.Rows {
		found := name.FindStringSubmatch(l.Row)
		if found == nil || l.Measure != measure {
			continue
		}
		size, err := strconv.ParseFloat(found[1], 64)
		if found[1] != "" && err != nil {
			continue
		}
		ours = append(ours, plotter.XY{X: size, Y: l.Manager})
		if l.Limit != nil {
			limits = append(limits, plotter.XY{X: size, Y: *l.Limit})
		}
	}
	return ours, limits
}
