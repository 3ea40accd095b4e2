package cli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAbandon gives up copies of a rule that an operator has written into other clusters.
func TestAbandon(t *testing.T) {
	create(t, "testdata/pushed.yaml")
	const rule = "clusterprojection/pushed"
	given := func() string {
		return kubectl(t, "get", rule, "-o", `jsonpath={.metadata.annotations.projection\.sh/abandon}`)
	}
	golden(t, "abandon-dry-run",
		"abandon "+rule+" --cluster eu-1 --dry-run=client",
		"abandon "+rule+" --cluster eu-1 --dry-run=server",
		"abandon "+rule+" --cluster eu-1 --dry-run=sometimes",
		"abandon "+rule,
		"abandon "+rule+" --cluster eu-3",
		"abandon clusterprojection/ca --cluster eu-1",
		"abandon projection/app-config --cluster eu-1",
		"abandon "+rule+" --cluster eu-1 --as=tenant",
	)
	require.Empty(t, given(), "a dry run changes nothing, and what is refused does not")
	golden(t, "abandon", "abandon "+rule+" --cluster eu-1", "abandon cproj pushed --cluster eu-1", "abandon "+rule+" --cluster eu-1,eu-2")
	assert.Equal(t, "eu-1,eu-2", given())
}
