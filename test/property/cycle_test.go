package property_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/faults"
	"projection.sh/operator/test/oracle"
)

// mirror makes a Projection in a namespace of the object of the same name in another one. The expression, which may be empty, gives that name.
func (d *driver) mirror(to, from, expression string) {
	d.t.Helper()
	rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name(to), Name: "p1", Labels: d.labels()}}
	rule.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name(from), Name: "a"}
	rule.Spec.Destination.NameExpression = expression
	require.NoError(d.t, d.client.Create(context.Background(), rule))
}

// newCircle lets three namespaces mirror each other, in permissive mode. The object of the first one is the source. The expression, which may be
// empty, gives the names of copies.
func newCircle(t *testing.T, seed uint64, expression string) *driver {
	t.Helper()
	d := newStage(t, seed, "n1", "n2", "n3")
	d.interpose()
	d.options = func(o *app.Options) { o.SourceMode = "permissive" }
	d.start()
	d.mirror("n2", "n1", expression)
	d.mirror("n3", "n2", expression)
	d.mirror("n1", "n3", expression)
	d.source("n1", "a")
	d.silent()
	return d
}

// TestRulesInACircleComeToRest lets three namespaces mirror each other, where copies need no consent to be copied on.
func TestRulesInACircleComeToRest(t *testing.T) {
	t.Parallel()
	d := newCircle(t, 0x4001, "")

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

// endOfCircle is how long the copies of a circle may outlive its source.
const endOfCircle = 10 * time.Second

func (d *driver) objects() int {
	d.t.Helper()
	state, err := d.state()
	require.NoError(d.t, err)
	return len(state.Objects)
}

// saysCircle waits until the rule of a namespace says that it does not copy what comes from its own copy.
func (d *driver) saysCircle(role string) {
	d.t.Helper()
	rule := &v1.Projection{}
	require.Eventually(d.t, func() bool {
		require.NoError(d.t, d.client.Get(context.Background(), client.ObjectKey{Namespace: d.name(role), Name: "p1"}, rule))
		ready := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
		return ready != nil && ready.Reason == v1.ReasonSourceNotProjectable && strings.Contains(ready.Message, "rules copy in a circle")
	}, timeout, interval)
}

// TestCircleEndsWithItsSource deletes the one object of a circle that is no copy. Its place is free then, and the copy that the rule
// of that place would make from is still there.
func TestCircleEndsWithItsSource(t *testing.T) {
	t.Parallel()
	circleEnds(newCircle(t, 0x4002, ""))
}

// TestCircleOfExpressionsEndsWithItsSource has expressions give the names in the circle.
func TestCircleOfExpressionsEndsWithItsSource(t *testing.T) {
	for seed, expression := range map[uint64]string{
		0x4005: "source.metadata.name", 0x4006: "source.metadata.name + target.labels[?'none'].orValue('')",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			circleEnds(newCircle(t, seed, expression))
		})
	}
}

func circleEnds(d *driver) {
	t := d.t
	t.Helper()
	first := d.at(configMap, "n1", "a")
	require.Equal(t, 3, d.objects())
	deletion := d.proxy.Hold(func(r faults.Request) bool { return r.Verb == "delete" && r.Namespace == d.name("n2") })
	require.NoError(t, d.client.Delete(t.Context(), first))
	delete(d.foreign, oracle.PlaceOf(first))
	<-deletion.Arrived()
	d.saysCircle("n1")
	deletion.Release()
	require.Eventually(t, func() bool { return d.objects() == 0 }, endOfCircle, interval, "the copies outlive their source")
	d.silent()
	require.Zero(t, d.objects())

	d.source("n1", "a")
	require.Eventually(t, func() bool { return d.objects() == 3 }, timeout, interval)
	d.silent()
}

// TestCircleThatHasLostItsSourceSaysSo makes the object of a circle that is no copy one: the rule of its place is the owner.
func TestCircleThatHasLostItsSourceSaysSo(t *testing.T) {
	t.Parallel()
	d := newCircle(t, 0x4003, "")
	first := d.at(configMap, "n1", "a")
	require.NoError(t, d.patch(first, `{"metadata":{"annotations":{"`+v1.AnnotationOwnedByProjection+`":"`+d.name("n1")+`/p1"}}}`))
	d.saysCircle("n1")
	assert.Equal(t, 3, d.objects(), "nothing is deleted because of it")

	require.NoError(t, d.client.Delete(t.Context(), first))
	require.Eventually(t, func() bool { return d.objects() == 0 }, timeout, interval)
}

// TestCircleOverTwoKindsEndsWithItsSource has one rule copy a ConfigMap as a Secret, and another a key of that Secret as the ConfigMap. The
// owners of both declare what they have to. Then the ConfigMap, which is no copy at first, is deleted.
func TestCircleOverTwoKindsEndsWithItsSource(t *testing.T) {
	t.Parallel()
	d := newStage(t, 0x4004, "n1", "n2")
	d.interpose()
	d.options = func(o *app.Options) { o.SourceMode = "permissive" }
	d.start()
	there := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n2"), Name: "p1", Labels: d.labels()}}
	there.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name("n1"), Name: "a"}
	there.Spec.Destination.Kind = "Secret"
	back := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name("n1"), Name: "p1", Labels: d.labels()}}
	back.Spec.Source = v1.SourceRef{Kind: "Secret", Namespace: d.name("n2"), Name: "a"}
	back.Spec.Destination.Kind = "ConfigMap"
	back.Spec.Content.Data = v1.DataFilter{Include: []string{"color"}}
	d.source("n1", "a")
	for _, rule := range []*v1.Projection{there, back} {
		require.NoError(t, d.client.Create(t.Context(), rule))
	}
	first, second := d.at(configMap, "n1", "a"), d.at(secret, "n2", "a")
	require.Eventually(t, func() bool {
		return d.patch(second, `{"metadata":{"annotations":{"`+v1.AnnotationPublicKeys+`":"color"}}}`) == nil
	}, timeout, interval)
	require.Eventually(t, func() bool {
		require.NoError(t, d.client.Get(t.Context(), client.ObjectKeyFromObject(back), back))
		ready := meta.FindStatusCondition(back.Status.Conditions, v1.ConditionReady)
		return ready != nil && ready.Reason == v1.ReasonDestinationConflict
	}, timeout, interval, "the source is in the way of the second rule")

	deletion := d.proxy.Hold(func(r faults.Request) bool { return r.Verb == "delete" && r.Namespace == d.name("n2") })
	require.NoError(t, d.client.Delete(t.Context(), first))
	delete(d.foreign, oracle.PlaceOf(first))
	<-deletion.Arrived()
	d.saysCircle("n1")
	deletion.Release()
	require.Eventually(t, func() bool { return d.objects() == 0 }, endOfCircle, interval, "the copies outlive their source")
}
