package crash_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
)

// TestRuleThatIsCreatedAgainHasAllItsCopies loses a rule without its copies, as a restore of a backup does, and creates
// it again with another uid and fewer targets.
func TestRuleThatIsCreatedAgainHasAllItsCopies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "created-again", v1.KindClusterProjection)
	sourceAndRule(w)
	first, _ := serve(t, w.lane, "first")
	w.settles()
	require.NoError(t, first.Stop())
	kept := w.get(w.object("ConfigMap", one, "settings"))

	w.patch(w.rule("rule"), `{"metadata":{"finalizers":null}}`)
	w.Delete(w.rule("rule"))
	w.projectTo("rule", fmt.Sprintf(`{namespaces: [%s]}`, w.name(one)))
	assert.NotEmpty(t, w.copies(two), "nobody removed it")

	serve(t, w.lane, "second")
	w.settles() // the one copy is its own, the other is gone
	assert.Equal(t, kept.GetUID(), w.get(kept).GetUID())
}
