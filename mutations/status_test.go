package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestDropStatus(t *testing.T) {
	run(t, mutations.DropStatus, mutations.Input{}, []row{
		{name: "status", before: `{spec: {status: kept}, status: {phase: Ready}}`, after: `{spec: {status: kept}}`},
		{name: "status of another shape", before: `{status: [1]}`, after: `{}`},
		{name: "none", before: `{data: {status: kept}}`},
	})
}
