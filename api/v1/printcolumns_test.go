package v1_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	v1 "projection.sh/operator/api/v1"
)

func TestPrintColumnsOfProjection(t *testing.T) {
	create(t, v1.KindProjection, "columns", `{source: {group: apps, kind: Deployment, namespace: platform, name: app}}`,
		map[string]any{"destinationName": "app", "conditions": []any{readyTrue()}})

	table := printed(t, "/apis/projection.sh/v1/namespaces/default/projections/columns")

	assert.Equal(t, []column{
		{"Name", 0, "columns"},
		{"Kind", 0, "Deployment"},
		{"Source-Group", 1, "apps"},
		{"Source-Namespace", 0, "platform"},
		{"Source-Name", 0, "app"},
		{"Destination-Name", 0, "app"},
		{"Sources", 1, nil},
		{"Ready", 0, "True"},
		{"Reason", 0, "Projected"},
		{"Message", 1, "all is well"},
		{"Age", 0, "now"},
	}, table)
}

func TestPrintColumnsOfClusterProjection(t *testing.T) {
	create(t, v1.KindClusterProjection, "columns",
		`{source: {kind: Secret, namespace: platform, name: ca}, destination: {namespaceSelector: {matchLabels: {team: a}}}}`,
		map[string]any{
			"destinationName": "ca", "namespacesTargeted": int64(4), "namespacesWritten": int64(3), "namespacesFailed": int64(0),
			"conditions": []any{readyTrue()},
		})

	table := printed(t, "/apis/projection.sh/v1/clusterprojections/columns")

	assert.Equal(t, []column{
		{"Name", 0, "columns"},
		{"Kind", 0, "Secret"},
		{"Source-Group", 1, nil},
		{"Source-Namespace", 0, "platform"},
		{"Source-Name", 0, "ca"},
		{"Destination-Name", 0, "ca"},
		{"Sources", 1, nil},
		{"Targets", 0, float64(3)},
		{"Targeted", 1, float64(4)},
		{"Failed", 1, float64(0)},
		{"Selector", 1, `{"team":"a"}`},
		{"Ready", 0, "True"},
		{"Reason", 0, "Projected"},
		{"Message", 1, "all is well"},
		{"Age", 0, "now"},
	}, table)
}

// column is a column of a table with its priority, and what its only row says. An age is always "now".
type column struct {
	name     string
	priority int32
	cell     any
}

// printed asks for an object in the form that kubectl get prints.
func printed(t *testing.T, path string) []column {
	t.Helper()
	answer, err := kubernetes.NewForConfigOrDie(cluster.Config).RESTClient().Get().AbsPath(path).
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").DoRaw(t.Context())
	require.NoError(t, err)
	var table metav1.Table
	require.NoError(t, json.Unmarshal(answer, &table))
	require.Len(t, table.Rows, 1)
	columns := make([]column, len(table.ColumnDefinitions))
	for i, definition := range table.ColumnDefinitions {
		columns[i] = column{definition.Name, definition.Priority, table.Rows[0].Cells[i]}
		if definition.Name == "Age" {
			columns[i].cell = "now"
		}
	}
	return columns
}

func readyTrue() map[string]any {
	return map[string]any{
		"type": "Ready", "status": "True", "reason": "Projected", "message": "all is well",
		"observedGeneration": int64(1), "lastTransitionTime": "2026-05-07T10:00:00Z",
	}
}
