package docs_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/api/v1alpha1"
)

// good are reasons of PublishedResources that nobody has to do anything about.
var good = []string{v1alpha1.ReasonDefinitionInstalled, v1alpha1.ReasonSynced, v1alpha1.ReasonSyncing}

// TestReasonsOfPublishedResourcesAreExplained has the page for owners of services say of each reason what to do.
func TestReasonsOfPublishedResourcesAreExplained(t *testing.T) {
	page, err := os.ReadFile(fromTop("docs/publishing.md"))
	require.NoError(t, err)
	for _, reason := range constants(t, "api/v1alpha1/publishedconditions.go", "Reason") {
		if !slices.Contains(good, reason) {
			assert.Contains(t, string(page), "`"+reason+"`")
		}
	}
}
