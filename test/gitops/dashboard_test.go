package gitops_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// dashboard is what the tests read of one of Grafana's.
type dashboard struct {
	UID        string  `json:"uid"`
	Title      string  `json:"title"`
	Panels     []panel `json:"panels"`
	Templating struct {
		List []struct{ Name, Type, Query string } `json:"list"`
	} `json:"templating"`
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ UID string }
	Targets                  []struct{ RefID, Expr, LegendFormat string }
}

// variables of Grafana, as it may set them.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$job", ".*")

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.Chart(), "files", "dashboard.json"))
	require.NoError(t, err)
	var read dashboard
	require.NoError(t, json.Unmarshal(content, &read))
	return read
}

func TestPanelsOfTheDashboard(t *testing.T) {
	read := readDashboard(t)
	assert.NotEmpty(t, read.UID)
	ids, cells := map[int]bool{}, map[[2]int]string{}
	for _, panel := range read.Panels {
		assert.False(t, ids[panel.ID], "%s has the number of another panel", panel.Title)
		ids[panel.ID] = true
		for x := panel.GridPos.X; x < panel.GridPos.X+panel.GridPos.W; x++ {
			for y := panel.GridPos.Y; y < panel.GridPos.Y+panel.GridPos.H; y++ {
				assert.Empty(t, cells[[2]int{x, y}], "%s lies on another panel", panel.Title)
				assert.Less(t, x, 24, "%s is outside", panel.Title)
				cells[[2]int{x, y}] = panel.Title
			}
		}
		if panel.Type == "row" {
			continue
		}
		assert.NotEmpty(t, panel.Description, panel.Title)
		assert.Equal(t, "${datasource}", panel.Datasource.UID, panel.Title)
		assert.NotEmpty(t, panel.Targets, panel.Title)
	}
}
