package main

import (
	"fmt"
	"slices"
	"strconv"
)

// judgement says what a limit on a line is compared with.
type judgement int

const (
	none  judgement = iota // the line only informs
	ratio                  // the manager's value divided by the limit's
	value                  // the manager's value
	count                  // the manager's value, which depends on no machine: one that is missed ends the bench with an error
)

// line is one line of the report.
type line struct {
	row, name, unit string
	result          string // the name that measurements use
	judgement       judgement
	atMost          float64
}

// lines are all that can be reported, in order. What was not measured is left out.
func (s sizes) lines() []line {
	small, middle, large := s.fanOut[0], s.fanOut[1], s.fanOut[2]
	lines := []line{
		{"create " + strconv.Itoa(s.ruleCount()), "last copy", "s", "create.last", ratio, 2},
		{"", "requests for a rule", "", "create.requests", count, 5},
		{"", "requests to report writes of over 1 s", "", "create.progress", none, 0},
		{"", "requests to watch 20 kinds", "", "create.opening", none, 0},
		{"", "watches", "", "create.watches", none, 0},
		{"", "goroutines", "", "create.goroutines", none, 0},
		{"", "CPU", "s", "create.cpu", none, 0},
		{"", "CPU of all until then", "s", "create.all", none, 0},
		{"edit", "p50", "ms", "edit.p50", ratio, 1.5},
		{"", "p99", "ms", "edit.p99", ratio, 3},
		{"", "requests, first edit", "", "edit.first", count, 3},
		{"", "requests, edit that adds a key", "", "edit.added", count, 4},
		{"", "requests, further edits", "", "edit.requests", count, 3},
		{"", "CPU each", "ms", "edit.cpu", none, 0},
		{"burst of " + strconv.Itoa(s.ruleCount()), "last copy", "s", "burst.last", ratio, 1.5},
		{"", "requests for a rule", "", "burst.requests", none, 0},
		{"", "CPU", "s", "burst.cpu", none, 0},
		{"", "CPU of all until then", "s", "burst.all", none, 0},
	}
	for _, size := range []int{small, middle, large} {
		lines = append(lines, fanOutLines(size, size == middle)...)
	}
	for _, phase := range []string{"create", "edit"} {
		lines = append(lines, line{
			fmt.Sprintf("fan-out %d / %d", large, middle), "time for a copy, " + phase, "", "fanout.scaling." + phase, value, 1.1,
		})
	}
	for _, row := range [][2]string{{"heal", "self-heal"}, {"gained", "label gained"}, {"lost", "label lost"}} {
		lines = append(lines, changeLines(row[0], fmt.Sprintf("%s, of %d", row[1], middle))...)
	}
	return slices.Concat(lines, s.quietLines(), s.memoryLines(), s.loadLines(), s.fleetLines())
}

func fanOutLines(size int, judged bool) []line {
	var lines []line
	for _, phase := range []string{"create", "edit"} {
		prefix := fmt.Sprintf("fanout.%d.%s.", size, phase)
		last := line{"", "last copy", "s", prefix + "last", none, 0}
		requests := line{"", "requests", "", prefix + "requests", none, 0}
		if judged {
			last.judgement, last.atMost = ratio, 1.25
			requests.judgement, requests.atMost = count, float64(size+4)
		}
		lines = append(lines,
			line{fmt.Sprintf("fan-out %s, %s", strconv.Itoa(size), phase), "first copy", "ms", prefix + "first", none, 0},
			last, requests, line{"", "CPU", "s", prefix + "cpu", none, 0},
			line{"", "CPU of all until then", "s", prefix + "all", none, 0})
	}
	return lines
}

func changeLines(row, title string) []line {
	return []line{
		{title, "p50", "ms", row + ".p50", none, 0},
		{"", "slowest", "ms", row + ".max", none, 0},
		{"", "requests, first", "", row + ".first", count, 3},
		{"", "requests, further ones", "", row + ".requests", count, 3},
		{"", "CPU each", "ms", row + ".cpu", none, 0},
	}
}

func (s sizes) quietLines() []line {
	return []line{
		{"status-only changes", "writes", "", "status.writes", count, 0},
		{"", "requests", "", "status.requests", none, 0},
		{"", "CPU", "s", "status.cpu", none, 0},
		{fmt.Sprintf("restart, %d in step", s.restartRules*s.restartCopies), "ready", "s", "restart.ready", value, 15},
		{"", "requests", "", "restart.requests", count, float64(s.restartRules + 20)},
		{"", "writes", "", "restart.writes", count, 0},
		{"", "CPU", "s", "restart.cpu", none, 0},
		{"idle " + s.idle.String(), "requests", "", "idle.requests", count, 0},
		{"", "CPU", "s", "idle.cpu", none, 0},
		{"no-op pass, 5000 targets", "time", "ms", "noop.time", value, 10},
	}
}

func (s sizes) memoryLines() []line {
	lines := []line{
		{"memory, no rule", "RSS", "MiB", "memory.start.rss", none, 0},
		{"", "heap", "MiB", "memory.start.heap", none, 0},
		{"", "goroutines", "", "memory.start.goroutines", none, 0},
		{fmt.Sprintf("memory, %d copies", s.fewRules()*s.restartCopies), "RSS", "MiB", "memory.few.rss", none, 0},
		{"", "heap", "MiB", "memory.few.heap", none, 0},
		{fmt.Sprintf("memory, %d copies", s.restartRules*s.restartCopies), "RSS", "MiB", "memory.loaded.rss", none, 0},
		{"", "heap", "MiB", "memory.loaded.heap", none, 0},
		{"", "goroutines", "", "memory.loaded.goroutines", none, 0},
		{"", "RSS after restart", "MiB", "memory.restarted.rss", none, 0},
		{"", "heap after restart", "MiB", "memory.restarted.heap", none, 0},
		{"memory for 1000 more copies", "RSS", "MiB", "copies.rss", value, 3},
		{"", "heap", "MiB", "copies.heap", none, 0},
		{"memory, 0 unrelated", "RSS", "MiB", "unrelated.0.rss", none, 0},
		{"", "heap", "MiB", "unrelated.0.heap", none, 0},
	}
	for i, size := range s.unrelated {
		last := i == len(s.unrelated)-1
		prefix := fmt.Sprintf("unrelated.%d.", size)
		more := line{"", "RSS more than with 0", "MiB", prefix + "more", none, 0}
		if last {
			more.judgement, more.atMost = value, 8
		}
		lines = append(lines, line{fmt.Sprintf("memory, %d unrelated", size), "RSS", "MiB", prefix + "rss", none, 0},
			line{"", "heap", "MiB", prefix + "heap", none, 0}, more)
		if last {
			lines = append(lines,
				line{"", "RSS after restart", "MiB", prefix + "restarted.rss", none, 0},
				line{"", "heap after restart", "MiB", prefix + "restarted.heap", none, 0})
		}
	}
	return lines
}

func (s sizes) loadLines() []line {
	return []line{
		{fmt.Sprintf("load for %s", s.loadTime), "copies", "", "load.copies", none, 0},
		{"", "edits a second", "", "load.edits", none, 0},
		{"", "namespaces changed a second", "", "load.namespaces", none, 0},
		{"", "all in step after", "s", "load.drained", none, 0},
		{"", "copies that are wrong", "", "load.wrong", count, 0},
		{"", "RSS before", "MiB", "load.before.rss", none, 0},
		{"", "RSS after", "MiB", "load.after.rss", none, 0},
		{"", "heap before, with garbage", "MiB", "load.before.heap", none, 0},
		{"", "heap after, with garbage", "MiB", "load.after.heap", none, 0},
		{"", "live heap before", "MiB", "load.before.live", none, 0},
		{"", "live heap more after", "MiB", "load.more.live", value, 16},
		{"", "live heap more after the rest", "MiB", "load.rested.more", value, 4},
		{"", "goroutines before", "", "load.before.goroutines", none, 0},
		{"", "goroutines more after", "", "load.more.goroutines", value, 20},
		{"", "watches more after", "", "load.more.watches", count, 0},
		{"", "series more after", "", "load.more.series", value, 3}, // a code of an answer that was not met before
	}
}
