package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"

	v1 "projection.sh/operator/api/v1"
)

// TestMigrate applies the rules that are written in place of reflector, and watches each copy: it is adopted, and never missing.
func TestMigrate(t *testing.T) {
	create(t, "testdata/migrate.yaml")
	golden(t, "migrate",
		"migrate --from=reflector -n platform",
		"migrate --from=reflector -n platform -o name",
		"migrate --from=reflector -n tenant-a",
		"migrate --from=reflector -n platform --as=tenant",
		"migrate --from=replicator -A",
		"migrate --from=config-syncer -A -o json",
		"migrate --from=kyverno -A --kinds=deployments.apps",
		"migrate --from=something",
		"migrate --from=kyverno --kinds=nothings",
	)
	events := watchCopies(t, "mirrored")
	before := uidsOf(t, "configmap/mirrored", "web-1", "web-2")
	kubectl(t, "annotate", "configmap/mirrored", "secret/mirrored", "-n", "platform", "projection.sh/projectable=true")
	written, code := run(t, "migrate", "--from=reflector", "-n", "platform")
	require.Zero(t, code, written)
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte(written), 0o600))
	create(t, file)
	kubectl(t, "wait", "--for=condition=Ready", "--timeout=60s", "clusterprojection/mirrored", "clusterprojection/asked-for")
	adopted := map[string]bool{}
	for event := range events.ResultChan() {
		copied, isObject := event.Object.(*metav1.PartialObjectMetadata)
		require.True(t, isObject, "%v", event)
		assert.NotEqual(t, apiwatch.Deleted, event.Type, copied.Namespace)
		if copied.Annotations[v1.AnnotationOwnedByClusterProjection] == "mirrored" {
			adopted[copied.Namespace] = true
		}
		if len(adopted) == 2 {
			break
		}
	}
	assert.Equal(t, before, uidsOf(t, "configmap/mirrored", "web-1", "web-2"))
	assert.NotContains(t, kubectl(t, "get", "configmap/mirrored", "-n", "web-1", "-o", "yaml"), "part-of")
	assert.Equal(t, "asked-for", kubectl(t, "get", "secret/asked-for", "-n", "web-1", "-o",
		`jsonpath={.metadata.annotations.projection\.sh/owned-by-cluster-projection}`))
	golden(t, "migrated", "migrate --from=reflector -n platform")
}

// TestMigrateFromThePredecessor looks at rules that the operator serves otherwise. One is suspended, so that its copy is still there.
func TestMigrateFromThePredecessor(t *testing.T) {
	create(t, "testdata/predecessor.yaml")
	golden(t, "migrate-predecessor", "migrate --from=projection -A", "migrate --from=projection -n tenant-a --as=tenant",
		"migrate --from=projection -n legacy --as=auditor --operator-namespace=elsewhere", "migrate --from=projection -o json")
}

// create creates the objects of a file, and deletes them when the test has ended.
func create(t *testing.T, file string) {
	t.Helper()
	kubectl(t, "create", "-f", file)
	t.Cleanup(func() {
		printed, err := cluster.Kubectl(context.WithoutCancel(t.Context()), "delete", "--ignore-not-found", "-f", file)
		assert.NoError(t, err, printed)
	})
}

// watchCopies watches the ConfigMaps of the name in all namespaces, from now on.
func watchCopies(t *testing.T, name string) apiwatch.Interface {
	t.Helper()
	client, err := metadata.NewForConfig(cluster.Config)
	require.NoError(t, err)
	objects := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
	options := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	listed, err := objects.List(t.Context(), options)
	require.NoError(t, err)
	options.ResourceVersion = listed.ResourceVersion
	watching, err := objects.Watch(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(watching.Stop)
	return watching
}

// uidsOf returns the uids of an object of each namespace.
func uidsOf(t *testing.T, object string, namespaces ...string) string {
	t.Helper()
	var all []string
	for _, namespace := range namespaces {
		all = append(all, kubectl(t, "get", object, "-n", namespace, "-o", "jsonpath={.metadata.uid}"))
	}
	return strings.Join(all, " ")
}
