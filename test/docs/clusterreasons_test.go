package docs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/api/v1alpha1"
)

// unreported are reasons of RemoteClusters that no operator reports yet.
var unreported = []string{v1alpha1.ReasonSlow}

// clusterReasons returns every reason that an operator reports of a RemoteCluster.
func clusterReasons(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, reason := range constants(t, "api/v1alpha1/conditions.go", "Reason") {
		if !slices.Contains(unreported, reason) {
			found[reason] = true
		}
	}
	return found
}

// documentedOfClusters returns what the page quotes of RemoteClusters. A test of components/remotecluster compares it with what they say.
func documentedOfClusters(t *testing.T) map[telling]bool {
	t.Helper()
	missing, found := clusterReasons(t), map[telling]bool{}
	known := clusterReasons(t)
	for _, row := range pages(t)[reasonsPage].Rows {
		if message, quoted := strings.CutPrefix(row.Cells[0], "`"); known[row.Heading] && quoted {
			found[telling{row.Heading, strings.TrimSuffix(message, "`")}] = true
			delete(missing, row.Heading)
		}
	}
	assert.Empty(t, missing, "the page quotes no message of them")
	return found
}

func TestMessagesOfClustersAreShort(t *testing.T) {
	for each := range documentedOfClusters(t) {
		assert.LessOrEqual(t, len(own(each.message)), longest, each.message)
	}
}
