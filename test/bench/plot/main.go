// Plot draws what make bench has measured: plot <bench.json> <directory>.
//
// It writes one SVG for each plot whose rows were measured, and no file for the others.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// report is what a plot needs of the file of make bench.
type report struct{ Rows []row }

// row is a line of the table: a value of the manager, and beside it that of the minimal client where both did the same work.
type row struct {
	Row, Measure string
	Limit        *float64
	Manager      float64
}

// plots are all that can be drawn, by the name of their file. A plot without measurements is nil.
var plots = map[string]func(*report) (*plot.Plot, error){
	"scale-fan-out.svg": fanOut,
	"scale-changes.svg": changes,
	"scale-memory.svg":  memory,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: plot <bench.json> <directory>")
	}
	measured, err := readReport(args[0])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(args[1], 0o755); err != nil {
		return err
	}
	var errs []error
	for name, drawn := range plots {
		errs = append(errs, save(measured, drawn, filepath.Join(args[1], name)))
	}
	return errors.Join(errs...)
}

func readReport(path string) (*report, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	measured := &report{}
	return measured, json.Unmarshal(content, measured)
}

// save writes the plot as an SVG, if there is one.
func save(measured *report, drawn func(*report) (*plot.Plot, error), path string) error {
	p, err := drawn(measured)
	if err != nil || p == nil {
		return err
	}
	canvas := vgsvg.New(20*vg.Centimeter, 9*vg.Centimeter)
	p.Draw(draw.Crop(draw.New(canvas), 8, -28, 8, -8)) // the last label of an axis is wider than the axis
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(file)
	return errors.Join(err, file.Close())
}
