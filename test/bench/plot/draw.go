package main

import (
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The colors of the two programs.
var (
	blue = color.RGBA{R: 0x09, G: 0x69, B: 0xda, A: 0xff}
	gray = color.RGBA{R: 0x8c, G: 0x95, B: 0x9f, A: 0xff}
)

// fanOut shows how the time until the last copy grows with the number of copies.
func fanOut(r *report) (*plot.Plot, error) {
	p := newPlot("One source, a copy in each namespace: time until the last copy", "namespaces", "seconds")
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = ticks(.03, .1, .3, 1, 3, 10)
	var sizes []float64
	for _, phase := range []string{"create", "edit"} {
		ours, limits := r.series(`^fan-out (\d+), `+phase+`$`, "last copy")
		for _, one := range []struct {
			name   string
			points plotter.XYs
			color  color.Color
		}{{operator, ours, blue}, {minimal, limits, gray}} {
			if err := addLine(p, one.name+", "+phase, one.points, one.color, phase == "create"); err != nil {
				return nil, err
			}
		}
		for _, point := range ours {
			sizes = append(sizes, point.X)
		}
	}
	if len(sizes) < 2 {
		return nil, nil
	}
	slices.Sort(sizes)
	p.X.Tick.Marker = ticks(slices.Compact(sizes)...)
	p.Y.Min, p.Y.Max = .03, 12
	return p, nil
}

// changes shows how long single changes take until the copy is written.
func changes(r *report) (*plot.Plot, error) {
	p := newPlot("One change: median time until its copy is written", "", "milliseconds")
	var names []string
	var ours, limits plotter.Values
	for _, change := range singleChanges {
		found, measured := r.find(change.row, "p50")
		if !measured || found.Limit == nil {
			continue
		}
		names, ours, limits = append(names, change.name), append(ours, found.Manager), append(limits, *found.Limit)
	}
	if len(names) == 0 {
		return nil, nil
	}
	if err := addBars(p, operator, ours, blue, -1); err != nil {
		return nil, err
	}
	if err := addBars(p, minimal, limits, gray, 1); err != nil {
		return nil, err
	}
	p.NominalX(names...)
	p.Y.Min = 0
	p.Y.Max *= 1.25 // room for the legend
	return p, nil
}

// memory shows what memory grows with, and with what not.
func memory(r *report) (*plot.Plot, error) {
	p := newPlot("Memory of the operator", "objects", "RSS in MiB")
	copies, _ := r.series(`^memory, (?:no rule|(\d+) copies)$`, "RSS")
	others, _ := r.series(`^memory, (\d+) unrelated$`, "RSS")
	if len(copies) < 2 && len(others) < 2 {
		return nil, nil
	}
	if err := addLine(p, "copies that it keeps in sync", copies, blue, false); err != nil {
		return nil, err
	}
	if err := addLine(p, "ConfigMaps of 4 KiB that no rule names", others, gray, false); err != nil {
		return nil, err
	}
	p.X.Tick.Marker = ticks(0, 10_000, 20_000, 30_000, 40_000, 50_000)
	p.Y.Min, p.Y.Max = 0, p.Y.Max*1.3
	return p, nil
}

func newPlot(title, x, y string) *plot.Plot {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(6)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	return p
}

// addLine draws a line through the points, with marks at them. It draws nothing without points.
func addLine(p *plot.Plot, name string, points plotter.XYs, its color.Color, dashed bool) error {
	if len(points) == 0 {
		return nil
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, marks.Color, line.Width = its, its, vg.Points(1.5)
	if dashed {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(line, marks)
	p.Legend.Add(name, line, marks)
	return nil
}

// addBars draws the bars of one program at one side of the ticks, with the value above each.
func addBars(p *plot.Plot, name string, values plotter.Values, its color.Color, side float64) error {
	const width = 30
	bars, err := plotter.NewBarChart(values, vg.Points(width))
	if err != nil {
		return err
	}
	bars.Color, bars.LineStyle.Width = its, 0
	bars.Offset = vg.Points(side * width / 2)
	labels := plotter.XYLabels{}
	for i, value := range values {
		labels.XYs = append(labels.XYs, plotter.XY{X: float64(i), Y: value})
		labels.Labels = append(labels.Labels, strconv.FormatFloat(value, 'f', 1, 64))
	}
	above, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	above.Offset = vg.Point{X: bars.Offset, Y: vg.Points(2)}
	for i := range above.TextStyle {
		above.TextStyle[i].XAlign = text.XCenter
	}
	p.Add(bars, above)
	p.Legend.Add(name, bars)
	return nil
}

// ticks marks these values, written in full, with commas between thousands.
func ticks(values ...float64) plot.ConstantTicks {
	var marks plot.ConstantTicks
	for _, value := range values {
		label := strconv.FormatFloat(value, 'f', -1, 64)
		if value >= 1000 {
			label = label[:len(label)-3] + "," + label[len(label)-3:]
		}
		marks = append(marks, plot.Tick{Value: value, Label: label})
	}
	return marks
}
