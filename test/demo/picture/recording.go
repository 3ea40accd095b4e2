package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The size of the terminal that is drawn, in characters.
const (
	columns = 112
	rows    = 26
)

// recording is what a command has printed.
type recording struct {
	header

	printed []printed
}

// header is the first line of an asciicast of version 2, which permits further keys, such as the commit.
type header struct {
	Version   int    `json:"version"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Timestamp int64  `json:"timestamp"`
	Command   string `json:"command"`
	Commit    string `json:"commit"`
}

// printed is a line, and when it was printed after the start of the command.
type printed struct {
	at   time.Duration
	text string
}

// write writes the asciicast: the header, and an event for each line.
func (r *recording) write(path string) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(r.header)
	for _, line := range r.printed {
		err = errors.Join(err, encoder.Encode([]any{line.at.Round(time.Millisecond).Seconds(), "o", line.text + "\r\n"}))
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

func readRecording(path string) (*recording, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	head, events, _ := strings.Cut(string(content), "\n")
	r := &recording{}
	if err := json.Unmarshal([]byte(head), &r.header); err != nil {
		return nil, fmt.Errorf("%s:1: %w", path, err)
	}
	for event := range strings.Lines(events) {
		var parts []any
		if err := json.Unmarshal([]byte(event), &parts); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, event, err)
		}
		line, err := toPrinted(parts)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, event, err)
		}
		r.printed = append(r.printed, line)
	}
	return r, nil
}

func toPrinted(event []any) (printed, error) {
	if len(event) == 3 {
		seconds, timed := event[0].(float64)
		text, written := event[2].(string)
		if timed && written && event[1] == "o" {
			return printed{time.Duration(seconds * float64(time.Second)).Round(time.Millisecond), strings.TrimSuffix(text, "\r\n")}, nil
		}
	}
	return printed{}, errors.New("not a line of output: [seconds, \"o\", text]")
}
