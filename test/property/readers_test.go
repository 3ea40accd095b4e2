package property_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env/fixture"
	"projection.sh/operator/test/faults"
	"projection.sh/operator/test/oracle"
)

// TestNoReaderSeesHalfACopy watches a copy while its source changes, always in two places at once.
func TestNoReaderSeesHalfACopy(t *testing.T) {
	t.Parallel()
	const edits = 60
	d := newStage(t, 0x2001, "n1", "n2")
	d.red("n2")
	reader, err := dynamic.NewForConfig(cluster.Config)
	require.NoError(t, err)
	copies, err := reader.Resource(configMaps).Namespace(d.name("n2")).Watch(t.Context(), metav1.ListOptions{LabelSelector: worldLabel + "=" + d.id})
	require.NoError(t, err)
	defer copies.Stop()

	d.source("n1", "a")
	source := d.at(configMap, "n1", "a")
	d.start()
	d.fanOut("c1", "n1", "a")
	for i := range edits {
		number := strconv.Itoa(i)
		require.NoError(t, d.patch(source, `{"data":{"left":"`+number+`","right":"`+number+`"}}`))
	}
	d.foreign[oracle.PlaceOf(source)] = source
	d.quiet()

	seen, last := 0, ""
	for event := range copies.ResultChan() {
		require.Equal(t, seen == 0, event.Type == watch.Added, "the copy is created once, and never replaced")
		copied := event.Object.(*unstructured.Unstructured)
		data, _, err := unstructured.NestedStringMap(copied.Object, "data")
		require.NoError(t, err)
		assert.Equal(t, data["left"], data["right"])
		assert.Equal(t, "red", data["color"])
		assert.Equal(t, d.name("c1"), copied.GetAnnotations()[v1.AnnotationOwnedByClusterProjection])
		seen++
		if last = data["left"]; last == strconv.Itoa(edits-1) {
			break
		}
	}
	assert.Equal(t, strconv.Itoa(edits-1), last)
	assert.LessOrEqual(t, seen, edits+1)
}

// TestStormOfEditsIsCoalesced keeps the writes for the first of many edits under way until the last edit is made.
func TestStormOfEditsIsCoalesced(t *testing.T) {
	t.Parallel()
	const edits = 100
	copied := []string{"n2", "n3"}
	d := newStage(t, 0x2002, "n1", "n2", "n3")
	d.interpose()
	for _, role := range copied {
		d.red(role)
	}
	d.source("n1", "a")
	d.start()
	d.fanOut("c1", "n1", "a")
	d.quiet()

	mark := fixture.Mark(t, cluster)
	d.proxy.Set(faults.Rule{Verbs: []string{"patch"}, Resources: []string{"configmaps"}, Fault: faults.Slow, Delay: time.Hour})
	require.NoError(t, d.write(configMap, "n1", "a", "blue", true, `"true"`, 1))
	require.Eventually(t, func() bool { return d.proxy.Spoiled()[faults.Slow] == len(copied) }, timeout, interval)
	require.NoError(t, d.write(configMap, "n1", "a", "blue", true, `"true"`, edits))
	d.quiet()

	requests := fixture.RequestsSince(t, cluster, mark, d.user)
	writes := map[string]int{}
	for _, request := range requests {
		if request.Verb == "patch" && request.Resource == "configmaps" {
			writes[request.Namespace]++
		}
	}
	state, err := d.state()
	require.NoError(t, err)
	for _, role := range copied {
		assert.Equal(t, 2, writes[d.name(role)], "the write that was under way, and one for all the edits after it")
		copied := state.Objects[oracle.PlaceOf(d.at(configMap, role, "a"))]
		number, _, err := unstructured.NestedString(copied.Object, "data", "number")
		require.NoError(t, err)
		assert.Equal(t, strconv.Itoa(edits-1), number, "the last value arrives")
	}
}
