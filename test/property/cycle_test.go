package property_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/oracle"
)

// mirror makes a Projection in a namespace of the object of the same name in another one.
func (d *driver) mirror(to, from string) {
	d.t.Helper()
	rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name(to), Name: "p1", Labels: d.labels()}}
	rule.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name(from), Name: "a"}
	require.NoError(d.t, d.client.Create(context.Background(), rule))
}

// TestRulesInACircleComeToRest lets three namespaces mirror each other, where copies need no consent to be copied on.
func TestRulesInACircleComeToRest(t *testing.T) {
	t.Parallel()
	d := newStage(t, 0x4001, "n1", "n2", "n3")
	d.options = func(o *app.Options) { o.SourceMode = "permissive" }
	d.start()
	d.mirror("n2", "n1")
	d.mirror("n3", "n2")
	d.mirror("n1", "n3")
	d.source("n1", "a")
	d.silent()

	state, err := d.state()
	require.NoError(t, err)
	assert.Len(t, state.Objects, 3)
	source := d.at(configMap, "n1", "a")
	for _, object := range state.Objects {
		assert.Equal(t, "red", object.GetLabels()["color"])
	}
	d.operator.Arm(0, "") // counts from here
	require.NoError(t, d.write(configMap, "n1", "a", "blue", false, `"true"`, 1))
	d.silent()
	assert.Equal(t, 2, d.operator.Writes(), "one write for each copy, and no more rounds")
	require.NoError(t, d.client.Get(t.Context(), client.ObjectKeyFromObject(source), source))
	assert.Equal(t, d.foreign[oracle.PlaceOf(source)].Object, source.Object, "the circle does not close over its source")
}
