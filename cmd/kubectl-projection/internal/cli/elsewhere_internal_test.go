package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

func TestObjectInAnotherCluster(t *testing.T) {
	elsewhere := forecast.Object{Cluster: "eu-1", Kind: "ConfigMap", Namespace: "db", Name: "settings"}
	here := elsewhere
	here.Cluster = ""
	assert.Equal(t, &elsewhere, parseSource("eu-1:ConfigMap/db/settings"))
	assert.Equal(t, &here, parseSource("ConfigMap/db/settings"))
	assert.Nil(t, parseSource("eu 1:ConfigMap/db/settings"))
	assert.Equal(t, "ConfigMap db/settings in the cluster eu-1", elsewhere.String())
	assert.Empty(t, objectPath(elsewhere), "it has no page")

	rule := pulling("shop", "ConfigMap")
	info := infoOf(rule, access.Settings{})
	assert.Equal(t, "ConfigMap db/settings in the cluster eu-1", info.Source)
	assert.Equal(t, elsewhere, info.source)
	assert.False(t, copies(rule, here, nil), "the rule copies another object of that name")
	rule.SourceCluster = ""
	assert.True(t, copies(rule, here, nil))

	copied := objectReport{State: isCopy, Source: &elsewhere, Verdict: &forecast.Verdict{State: forecast.InSync}}
	assert.Equal(t, "to change the copy, edit its source, which is in the cluster eu-1", copied.next())
}
