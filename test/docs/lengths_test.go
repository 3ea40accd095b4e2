package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// longest is how long a message can be: three lines of a terminal. What the API server said, in parentheses, comes on top.
const longest = 240

var (
	// quoted is what the API server said, at the end of a message.
	quoted = regexp.MustCompile(` \(.*\)$`)
	// counted is what a message about many copies adds to that about the first one.
	counted = regexp.MustCompile(`^\d+ of \d+ copies failed: |; status\.failures has the others$`)
)

// own returns the part of a message that consists of our words.
func own(message string) string {
	return quoted.ReplaceAllString(counted.ReplaceAllString(message, ""), "")
}

func TestMessagesAreShort(t *testing.T) {
	messages := documented(t)
	assert.Greater(t, len(messages), 50)
	for told := range messages {
		assert.LessOrEqual(t, len(own(told.message)), longest, "%s: %s", told.reason, told.message)
		if strings.Contains(told.message, "details withheld") {
			assert.LessOrEqual(t, len(told.message), longest, "these parentheses are ours: %s", told.message)
		}
	}
}

func TestOwnWordsOfAMessage(t *testing.T) {
	assert.Equal(t, "ConfigMap a/b: x; do y", own("ConfigMap a/b: x; do y (configmaps is forbidden: no (really))"))
	assert.Equal(t, "ConfigMap a/b: x", own("2 of 3 copies failed: ConfigMap a/b: x; status.failures has the others"))
}
