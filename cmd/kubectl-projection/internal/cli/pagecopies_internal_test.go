package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

func TestRuleThatSelectsNothingHasNoTrouble(t *testing.T) {
	of := func(state forecast.State) copiesShown {
		refused := &forecast.Verdict{State: state, Reason: v1.ReasonSourceNotFound, Message: "source.selector matches nothing"}
		return copiesShownOf(access.Rule{}, []forecast.Branch{{Refused: refused}})
	}
	empty, failed := of(forecast.NotTarget), of(forecast.Refused)
	assert.False(t, empty.isRefused())
	assert.Empty(t, empty.trouble(ruleInfo{}).Rows)
	assert.Equal(t, "There is nothing to copy: source.selector matches nothing.", empty.listing(ruleInfo{}).Note)
	assert.True(t, failed.isRefused())
	assert.Len(t, failed.trouble(ruleInfo{}).Rows, 1)
	assert.Empty(t, failed.listing(ruleInfo{}).Note)
}

func TestOnlyObjectsThatCanExistHavePages(t *testing.T) {
	object := forecast.Object{Kind: "ConfigMap", Namespace: "platform", Name: "app-config"}
	assert.Equal(t, "/objects/configmap/platform/app-config", objectPath(object))
	for _, name := range []string{"", v1.SelectedName} {
		object.Name = name
		assert.Empty(t, objectPath(object), name)
	}
}
