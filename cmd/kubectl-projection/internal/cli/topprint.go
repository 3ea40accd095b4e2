package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Orders of rules.
const (
	byCopies = "copies"
	byBytes  = "bytes"
	byFailed = "failed"
	byName   = "name"
)

var orderNames = []string{byCopies, byBytes, byFailed, byName}

// orders say which of two rules comes first. A rule of which the number is not known is the last.
var orders = map[string]func(a, b ruleLoad) int{
	byCopies: func(a, b ruleLoad) int { return cmp.Compare(valueOr(b.Copies, -1), valueOr(a.Copies, -1)) },
	byBytes:  func(a, b ruleLoad) int { return cmp.Compare(valueOr(b.Bytes, -1), valueOr(a.Bytes, -1)) },
	byFailed: func(a, b ruleLoad) int { return cmp.Compare(b.Failed, a.Failed) },
	byName:   func(a, b ruleLoad) int { return compareRules(a.rule(), b.rule()) },
}

func valueOr(number *int64, otherwise int64) int64 {
	if number == nil {
		return otherwise
	}
	return *number
}

func (l ruleLoad) rule() ruleInfo {
	return ruleInfo{Kind: l.Kind, Namespace: l.Namespace, Name: l.Name}
}

func (r topReport) report(out *output) report {
	names := make([]string, len(r.Rules))
	for i, load := range r.Rules {
		names[i] = load.rule().fullName()
	}
	return report{kind: "Top", data: r, names: names, text: func(w io.Writer) error { return r.print(w, out) }}
}

func (r topReport) print(w io.Writer, out *output) error {
	rows := make([][]string, len(r.Rules))
	for i, load := range r.Rules {
		copies := numberOr(load.Copies, "-")
		if load.Unknown != "" {
			copies = numberOr(load.Copies, unknownValue)
		}
		rows[i] = []string{
			load.Namespace, load.rule().argument(), copies, load.size(load.BytesPerCopy), load.size(load.Bytes), strconv.Itoa(int(load.Failed)),
			load.Source, load.Unknown,
		}
	}
	if len(rows) > 0 {
		if err := out.table(w, columns("Namespace", "Rule", "Copies", "Size", "Total", "Failed", "+Source", "+Unknown"), rows); err != nil {
			return err
		}
	}
	for _, resource := range r.Unknown {
		if _, err := fmt.Fprintf(w, "%s: you may not list %s\n", unknownValue, resource); err != nil {
			return err
		}
	}
	if out.noHeaders {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s, %s, %s\n", count(len(r.Rules), "rule", "rules"), count(int(r.Copies), "copy", "copies"), r.total())
	return err
}

// total returns how much room the copies take, as far as that is known.
func (r topReport) total() string {
	isUnknown := func(load ruleLoad) bool { return load.Unknown != "" && valueOr(load.Copies, 1) > 0 }
	switch {
	case !slices.ContainsFunc(r.Rules, isUnknown):
		return bytesOf(r.Bytes)
	case r.Bytes == 0:
		return unknownValue
	default:
		return "at least " + bytesOf(r.Bytes)
	}
}

// size returns a number of bytes of the rule for people.
func (l ruleLoad) size(bytes *int64) string {
	switch {
	case l.Unknown != "":
		return unknownValue
	case bytes == nil:
		return "-"
	default:
		return bytesOf(*bytes)
	}
}

// bytesOf returns a number of bytes as kubectl has it, with one digit after the point below 10.
func bytesOf(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return strconv.FormatInt(bytes, 10)
	}
	value, units := float64(bytes), ""
	for _, units = range []string{"Ki", "Mi", "Gi", "Ti"} {
		if value /= unit; value < unit {
			break
		}
	}
	if value < 10 {
		return fmt.Sprintf("%.1f%s", value, units)
	}
	return fmt.Sprintf("%.0f%s", value, units)
}
