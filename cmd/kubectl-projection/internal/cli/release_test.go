package cli_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRelease releases copies of rules that want them, and deletes the rules: the objects stay.
func TestRelease(t *testing.T) {
	create(t, "testdata/release.yaml")
	kubectl(t, "wait", "--for=condition=Ready", "--timeout=60s", "clusterprojection/handed-over", "clusterprojection/labelled")
	kubectl(t, "wait", "--for=condition=Ready", "--timeout=60s", "projection/handed-over", "-n", "legacy")
	objects := []string{"configmap/handed-over", "configmap/own-copy", "configmap/selected-copy"}
	t.Cleanup(func() { deleteAll(t, objects) })
	before := contentOf(t, objects)

	golden(t, "release-dry-run",
		"release configmap/handed-over -n legacy --dry-run=client",
		"release configmap/handed-over -n legacy --dry-run=server",
		"release configmap/handed-over -n legacy --dry-run=sometimes",
	)
	assert.Equal(t, before, contentOf(t, objects))
	golden(t, "release",
		"release configmap/handed-over -n legacy",
		"release cm handed-over -n legacy",
		"release configmap/own-copy -n legacy",
		"release configmap/selected-copy -n legacy",
		"release configmap/old -n web-1 --dry-run=client",
		"why configmap/twice-owned -n legacy",
		"release configmap/twice-owned -n legacy",
		"release configmap/ambiguous -n legacy",
		"release configmap/made-from-a-copy -n legacy",
		"release configmap/forged -n legacy --dry-run=client",
		"release configmap/private -n platform",
		"release configmap/nothing -n platform",
		"release clusterprojection/handed-over",
		"release configmap/app-config -n web-1 --as=tenant",
		"release configmap/app-config -n web-1 --as=tenant --dry-run=client",
	)
	kubectl(t, "wait", "--for=jsonpath={.status.conditions[?(@.type=='Ready')].reason}=DestinationConflict", "--timeout=60s", "clusterprojection/handed-over")
	kubectl(t, "wait", "--for=condition=Ready", "--timeout=60s", "clusterprojection/labelled")
	kubectl(t, "delete", "clusterprojection/handed-over", "clusterprojection/labelled")
	kubectl(t, "delete", "projection/handed-over", "-n", "legacy")
	assert.Equal(t, before, contentOf(t, objects), "the rules are deleted, and the objects are as they were")
}

// contentOf returns the uids and the content of the objects.
func contentOf(t *testing.T, objects []string) string {
	t.Helper()
	return kubectl(t, append([]string{"get", "-n", "legacy", "-o", "jsonpath={range .items[*]}{.metadata.uid} {.data}{end}"}, objects...)...)
}

func deleteAll(t *testing.T, objects []string) {
	t.Helper()
	printed, err := cluster.Kubectl(context.WithoutCancel(t.Context()), append([]string{"delete", "--ignore-not-found", "-n", "legacy"}, objects...)...)
	assert.NoError(t, err, printed)
}
