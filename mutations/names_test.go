package mutations_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/mutations"
)

func TestOrderIsTheDocumentedOne(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var documented []string
	for i, item := range regexp.MustCompile(`(?m)^//  (\d+)\. ([a-z-]+):`).FindAllStringSubmatch(string(doc), -1) {
		require.Equal(t, item[1], strconv.Itoa(i+1), "items are numbered in a row")
		documented = append(documented, item[2])
	}
	assert.Equal(t, documented, mutations.Names())
}

func TestNamesAreUniqueAndDoNotDependOnTheInput(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range mutations.Names() {
		assert.False(t, seen[name], "%s is there twice", name)
		seen[name] = true
	}
	in := kind("batch", "Job")
	in.Stamp, in.ServerVersion = byProjection, "v1.32.0"
	in.Overlay.Labels = map[string]string{"a": "b"}
	for i, mutation := range mutations.ForDestination(in) {
		assert.Equal(t, mutations.Names()[i], mutation.Name)
	}
}
