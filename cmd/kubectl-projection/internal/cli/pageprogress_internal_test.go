package cli

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/ui"
)

// branchOf returns a branch with so many copies of each state.
func branchOf(counts map[forecast.State]int) forecast.Branch {
	branch := forecast.Branch{}
	for state, number := range counts {
		for range number {
			branch.Copies = append(branch.Copies, forecast.Verdict{State: state, Namespace: "web"})
		}
	}
	return branch
}

func TestProgressCountsWhatIsKnown(t *testing.T) {
	hidden := forecast.Branch{Refused: &forecast.Verdict{State: forecast.Unknown}}
	tests := map[string]struct {
		branches []forecast.Branch
		label    string
	}{
		"all":            {[]forecast.Branch{branchOf(map[forecast.State]int{forecast.InSync: 2, forecast.Exists: 1})}, "3 of 3 copies in sync"},
		"some":           {[]forecast.Branch{branchOf(map[forecast.State]int{forecast.InSync: 2, forecast.Missing: 1})}, "2 of 3 copies in sync"},
		"none is known":  {[]forecast.Branch{branchOf(map[forecast.State]int{forecast.Unknown: 5000})}, "? of 5000 copies in sync"},
		"some are known": {[]forecast.Branch{branchOf(map[forecast.State]int{forecast.InSync: 12, forecast.Unknown: 4})}, "at least 12 of 16 copies in sync, 4 unknown"},
		"a hidden source": {
			[]forecast.Branch{branchOf(map[forecast.State]int{forecast.InSync: 1}), hidden},
			"at least 1 of 1 copy in sync, and copies of sources that you may not read",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			shown := copiesShownOf(reported(v1.ClusterProjectionStatus{}), test.branches)
			progress := new(paces).progressOf("uid", time.Now(), shown)
			require.NotNil(t, progress)
			assert.Equal(t, test.label, progress.Label)
			assert.False(t, progress.IsMoving)
		})
	}
	assert.Nil(t, new(paces).progressOf("uid", time.Now(), copiesShownOf(reported(v1.ClusterProjectionStatus{}), []forecast.Branch{hidden})))
}

func TestProgressSaysHowFastItIs(t *testing.T) {
	begun, measured := time.Now(), &paces{}
	at := func(seconds, inSync int, rule types.UID) *ui.Progress {
		branch := branchOf(map[forecast.State]int{forecast.InSync: inSync, forecast.Missing: 90 - inSync, forecast.Foreign: 10})
		shown := copiesShownOf(reported(v1.ClusterProjectionStatus{}), []forecast.Branch{branch})
		return measured.progressOf(rule, begun.Add(time.Duration(seconds)*time.Second), shown)
	}
	assert.Equal(t, "10 of 100 copies in sync", at(0, 10, "a").Label)
	assert.Equal(t, "10 of 100 copies in sync", at(4, 10, "b").Label, "another rule")
	assert.Equal(t, "30 of 100 copies in sync, 5.0/s, about 12s left", at(4, 30, "a").Label)
	assert.True(t, at(5, 30, "a").IsMoving)
	assert.Equal(t, "90 of 100 copies in sync", at(6, 90, "a").Label, "the others have failed")
	assert.Equal(t, "40 of 100 copies in sync", at(60, 40, "a").Label, "nobody has looked for a while")
}

func TestUnknownCopiesAreNoTrouble(t *testing.T) {
	failure := v1.NamespaceFailure{Namespace: "web", Reason: "DestinationCreateFailed", Message: "the quota is used up"}
	rule := reported(v1.ClusterProjectionStatus{Failures: []v1.NamespaceFailure{failure}})
	unknown := copiesShownOf(rule, []forecast.Branch{branchOf(map[forecast.State]int{forecast.Unknown: 2})})
	assert.Empty(t, unknown.trouble(ruleInfo{}).Rows)
	assert.Equal(t, "unknown", unknown.listing(ruleInfo{}).Rows[0].Group)
	missing := branchOf(map[forecast.State]int{forecast.Missing: 2})
	missing.Copies[1].Message = failure.Message
	rows := copiesShownOf(rule, []forecast.Branch{missing}).listing(ruleInfo{}).Rows
	assert.Equal(t, []string{"failed", "missing"}, []string{rows[0].Group, rows[1].Group}, "what the operator reports comes first")
	assert.Equal(t, ui.Bad, rows[0].Tone)
}

func TestCopiesWithTheSameTroubleAreOneRow(t *testing.T) {
	branch := branchOf(map[forecast.State]int{forecast.Foreign: 3, forecast.InSync: 1})
	for i := range 2 * maxTroubled {
		branch.Copies = append(branch.Copies, forecast.Verdict{State: forecast.Missing, Namespace: "web", Message: "trouble " + strconv.Itoa(i)})
	}
	section := copiesShownOf(reported(v1.ClusterProjectionStatus{}), []forecast.Branch{branch}).trouble(ruleInfo{})
	assert.Len(t, section.Rows, maxTroubled)
	assert.Equal(t, "and 2 more", section.Rows[0][0].After)
	assert.Empty(t, section.Rows[1][0].After)
	assert.NotEmpty(t, section.Note, "there is more trouble than that")
}
