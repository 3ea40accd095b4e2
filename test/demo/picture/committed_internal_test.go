package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func committed(t *testing.T) *recording {
	t.Helper()
	r, err := readRecording(castFile())
	require.NoError(t, err)
	return r
}

func TestCommittedPictureIsThatOfTheCommittedRecording(t *testing.T) {
	want, err := draw(committed(t))
	require.NoError(t, err)
	got, err := os.ReadFile(drawingFile())
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go run ./test/demo/picture draw")
}

func TestRecordingShowsADemoWhoseChecksPassed(t *testing.T) {
	r := committed(t)
	assert.Equal(t, "make demo", r.Command)
	last := r.printed[len(r.printed)-1].text
	counts := regexp.MustCompile(`^demo: (\d+) checks, (\d+) passed$`).FindStringSubmatch(last)
	require.NotNil(t, counts, last)
	assert.Equal(t, counts[1], counts[2])
	assert.Len(t, r.Commit, 12)
}

func TestDrawingAndCaptionNameTheCommit(t *testing.T) {
	commit := committed(t).Commit
	drawing, err := os.ReadFile(drawingFile())
	require.NoError(t, err)
	assert.Contains(t, string(drawing), "<metadata>commit "+commit)
	readme, err := os.ReadFile(readmeFile())
	require.NoError(t, err)
	captioned, err := withCaption(readme, commit)
	require.NoError(t, err)
	assert.Equal(t, string(captioned), string(readme), "go run ./test/demo/picture draw")
}
