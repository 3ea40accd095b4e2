package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// report is what a run has found out.
type report struct {
	Began    time.Time
	Took     string
	Machine  string
	Server   string
	Own      bool    // the control plane was the bench's own
	Scale    float64 // 1: the limits hold
	Others   float64 // share of the machine's CPU that others used
	Rows     []reported
	Measured map[copier]results // every value, in the order of measurement
}

// reported is a line with its values.
type reported struct {
	Row, Measure, Unit string
	Limit              *float64 `json:",omitempty"` // of the bare client
	Manager            float64
	Ratio              *float64 `json:",omitempty"`
	AtMost             *float64 `json:",omitempty"`
	Reached            *bool    `json:",omitempty"`
	count              bool     // see judgement
}

func newReport(o options) *report {
	return &report{
		Began: time.Now().UTC().Truncate(time.Second), Own: o.kubeConfig == "", Scale: o.scale,
		Machine:  describeMachine(),
		Measured: map[copier]results{theLimit: {}, theManager: {}},
	}
}

// of returns the results of a copier.
func (r *report) of(who copier) results { return r.Measured[who] }

// finish derives what is compared, prints the table and writes the file. It returns an error if a count is missed.
func (r *report) finish(s sizes, path string) error {
	r.Took = time.Since(r.Began).Round(time.Second).String()
	r.derive(s)
	title := ""
	for _, l := range s.lines() {
		if l.row != "" {
			title = l.row
		}
		if value, found := r.of(theManager).get(l.result); found {
			l.row = title
			r.Rows = append(r.Rows, r.judge(l, value))
		}
	}
	r.print(os.Stdout)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, append(content, '\n'), 0o644), r.missedCounts())
}

// missedCounts returns an error that names the counts that are missed. Times and memory depend on the machine, so the report alone
// tells of those. The counts are meant for the full size.
func (r *report) missedCounts() error {
	var errs []error
	for _, row := range r.Rows {
		if row.count && r.Scale == 1 && !*row.Reached {
			errs = append(errs, fmt.Errorf("%s: %s is %s, and at most %s", row.Row, row.Measure, number(&row.Manager), number(row.AtMost)))
		}
	}
	return errors.Join(errs...)
}

// derive compares sizes with each other.
func (r *report) derive(s sizes) {
	for _, measured := range r.Measured {
		for _, phase := range []string{"create", "edit"} {
			middle, found := measured.get(fmt.Sprintf("fanout.%d.%s.each", s.fanOut[1], phase))
			large, _ := measured.get(fmt.Sprintf("fanout.%d.%s.each", s.fanOut[2], phase))
			if found {
				measured.put("fanout.scaling."+phase, large/middle)
			}
		}
		before, found := measured.get("unrelated.0.rss")
		for _, size := range s.unrelated {
			if after, there := measured.get(fmt.Sprintf("unrelated.%d.rss", size)); found && there {
				measured.put(fmt.Sprintf("unrelated.%d.more", size), after-before)
			}
		}
	}
}

func (r *report) judge(l line, manager float64) reported {
	row := reported{Row: l.row, Measure: l.name, Unit: l.unit, Manager: manager, count: l.judgement == count}
	judged := manager
	if limit, found := r.of(theLimit).get(l.result); found {
		row.Limit = &limit
		if limit > 0 {
			quotient := manager / limit
			row.Ratio = &quotient
		}
	}
	if l.judgement == none || l.judgement == ratio && row.Ratio == nil {
		return row
	}
	if l.judgement == ratio {
		judged = *row.Ratio
	}
	reached := judged <= l.atMost
	row.AtMost, row.Reached = &l.atMost, &reached
	return row
}

func (r *report) print(to io.Writer) {
	fmt.Fprintf(to, "\n%s\n", r.Machine)
	fmt.Fprintf(to, "%s; others used %.1f %% of the machine meanwhile\n", r.Took, 100*r.Others)
	if !r.Own {
		fmt.Fprintln(to, "The cluster was lent: its requests cannot be counted.")
	}
	if r.Scale != 1 {
		fmt.Fprintf(to, "The sizes were scaled by %v: the limits are meant for 1.\n", r.Scale)
	}
	fmt.Fprintln(to)
	const columns = "%-26s %-30s %9s %9s %-4s %7s %8s  %s\n"
	fmt.Fprintf(to, columns, "", "", "limit", "manager", "", "ratio", "at most", "")
	last := ""
	for _, row := range r.Rows {
		title := row.Row
		if title == last {
			title = ""
		}
		last = row.Row
		verdict := ""
		if row.Reached != nil {
			verdict = map[bool]string{true: "ok", false: "MISSED"}[*row.Reached]
		}
		fmt.Fprintf(to, columns,
			title, row.Measure, number(row.Limit), number(&row.Manager), row.Unit, number(row.Ratio), number(row.AtMost), verdict)
	}
}

// number writes three significant digits, and whole numbers as they are.
func number(value *float64) string {
	switch {
	case value == nil:
		return ""
	case *value == float64(int64(*value)):
		return strconv.FormatInt(int64(*value), 10)
	case *value >= 100:
		return strconv.FormatFloat(*value, 'f', 0, 64)
	default:
		return strconv.FormatFloat(*value, 'g', 3, 64)
	}
}
