package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCaptionNeedsAPlace(t *testing.T) {
	got, err := withCaption([]byte("at <!-- picture: commit -->old<!-- /picture -->."), "new")
	require.NoError(t, err)
	assert.Equal(t, "at <!-- picture: commit -->new<!-- /picture -->.", string(got))
	_, err = withCaption([]byte("at old."), "new")
	require.Error(t, err)
}

func TestDrawingHoldsEveryLineAndNoScript(t *testing.T) {
	r := &recording{
		header: header{Width: 20, Height: 2, Command: "run <it>", Commit: "abc"},
		printed: []printed{
			{time.Second, "\x1b[1;36m== Heading\x1b[0m"},
			{time.Second, "  a  b & c"},
			{2 * time.Second, strings.Repeat("w", 25)},
		},
	}
	drawing, err := draw(r)
	require.NoError(t, err)
	text := map[string]bool{}
	decoder := xml.NewDecoder(strings.NewReader(string(drawing)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.CharData:
			text[string(token)] = true
		case xml.StartElement:
			assert.NotContains(t, []string{"script", "foreignObject", "image"}, token.Name.Local)
		}
	}
	for _, want := range []string{"$ run <it>", "== Heading", "a", "b & c", strings.Repeat("w", 20), strings.Repeat("w", 5)} {
		assert.True(t, text[want], want)
	}
	assert.Contains(t, string(drawing), `class="sheet" transform="translate(0 -57)"`, "without the animation, the last two of five lines are shown")
}

func TestUnknownEscapeSequenceIsRefused(t *testing.T) {
	_, err := draw(&recording{header: header{Width: 20, Height: 2}, printed: []printed{{0, "\x1b[7mreverse\x1b[0m"}}})
	require.ErrorContains(t, err, "escape sequence")
}

func TestPace(t *testing.T) {
	lines := []line{
		{look: command, text: "$ make demo"},
		{at: 10 * time.Second, text: "up"},
		{at: 10 * time.Second},
		{at: 10 * time.Second, look: heading, text: "== One"},
		{at: 10 * time.Second},
		{at: 10 * time.Second, look: command, text: "$ kubectl"},
		{at: 10 * time.Second, text: "a"},
		{at: 10 * time.Second, text: "b"},
	}
	assert.Equal(t, []beat{
		{1, atMost},
		{2, forEachBeat + forEachLine},
		{4, forEachBeat + forEachLine},
		{6, forEachBeat + forEachLine},
		{8, forTheEnd},
	}, pace(lines))
}

func TestRecord(t *testing.T) {
	r, err := record(t.Context(), t.TempDir(), []string{"sh", "-c", `echo "color $CLICOLOR_FORCE"; echo problem >&2`})
	require.NoError(t, err)
	require.Len(t, r.printed, 2)
	assert.Equal(t, "color 1", r.printed[0].text)
	assert.Equal(t, "problem", r.printed[1].text)

	path := t.TempDir() + "/demo.cast"
	require.NoError(t, r.write(path))
	again, err := readRecording(path)
	require.NoError(t, err)
	assert.Equal(t, r, again, "the drawing of a recording is the same before and after it is written")

	_, err = record(t.Context(), t.TempDir(), []string{"sh", "-c", "exit 3"})
	require.ErrorContains(t, err, "exit status 3")
}
