package main

import (
	"strings"
	"time"
)

// How long the picture stays as it is, so that one can read it.
const (
	forEachBeat = 300 * time.Millisecond
	forEachLine = 120 * time.Millisecond
	forTheEnd   = 5 * time.Second
	atMost      = 1500 * time.Millisecond // of a pause that the command made
)

// beat is a moment of the picture: so many lines are shown for so long.
type beat struct {
	shown int
	hold  time.Duration
}

// pace groups the lines into beats. A beat is one command, one heading, one result, or the output of one command, with the empty lines
// before it. It lasts as long as it takes to read its lines, or as the command paused after it, within limits.
func pace(lines []line) []beat {
	var beats []beat
	begins := 0
	for i := range lines {
		if i+1 < len(lines) && !separate(lines[begins:i+1], lines[i+1]) {
			continue
		}
		hold := forEachBeat + time.Duration(readable(lines[begins:i+1]))*forEachLine
		if i+1 < len(lines) {
			hold = max(hold, min(lines[i+1].at-lines[i].at, atMost))
		} else {
			hold = forTheEnd
		}
		beats = append(beats, beat{shown: i + 1, hold: hold})
		begins = i + 1
	}
	return beats
}

// separate reports whether the next line begins another beat.
func separate(current []line, next line) bool {
	return readable(current) > 0 && (next.text == "" || next.look != current[len(current)-1].look)
}

// readable counts the lines that hold something.
func readable(lines []line) int {
	count := 0
	for _, l := range lines {
		if strings.TrimSpace(l.text) != "" {
			count++
		}
	}
	return count
}
