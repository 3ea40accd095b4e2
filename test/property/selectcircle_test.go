package property_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

// mirrorAll makes a Projection in a namespace of all objects of another one. The expression, which may be empty, gives the names of their copies.
func (d *driver) mirrorAll(to, from, expression string, adapt ...func(*v1.ProjectionSpec)) {
	d.t.Helper()
	rule := &v1.Projection{ObjectMeta: metav1.ObjectMeta{Namespace: d.name(to), Name: "p1", Labels: d.labels()}}
	rule.Spec.Source = v1.SourceRef{Kind: "ConfigMap", Namespace: d.name(from), Selector: &v1.SourceSelector{
		MatchLabels: map[string]v1.LabelValue{worldLabel: d.id},
	}}
	rule.Spec.Destination.NameExpression = expression
	for _, change := range adapt {
		change(&rule.Spec)
	}
	require.NoError(d.t, d.client.Create(context.Background(), rule))
}

// circle is a driver that counts the writes of copies from its start.
type circle struct {
	*driver
	mark env.AuditMark
}

// newPermissive has copies need no consent to be copied on. The objects of the namespaces have the label by which rules select them, and so have
// the copies.
func newPermissive(t *testing.T, seed uint64, roles ...string) *circle {
	t.Helper()
	d := newStage(t, seed, roles...)
	d.interpose()
	d.options = func(o *app.Options) { o.SourceMode = "permissive" }
	d.start()
	mark, err := d.plane.AuditMark()
	require.NoError(t, err)
	return &circle{d, mark}
}

// endsAll deletes the object of a circle that is no copy, and waits for the copies to go.
func (d *circle) endsAll() {
	d.t.Helper()
	first := d.at(configMap, "n1", "a")
	require.NoError(d.t, d.client.Delete(context.Background(), first))
	delete(d.foreign, oracle.PlaceOf(first))
	require.Eventually(d.t, func() bool { return d.objects() == 0 }, endOfCircle, interval, "the copies outlive their source")
	d.rests()
	require.Zero(d.t, d.objects())
}

// rests waits until the operator writes nothing more. A rule in a circle looks from time to time whether it is one still.
func (d *circle) rests() {
	d.t.Helper()
	writes := func(request string) bool {
		return !strings.HasPrefix(request, "get ") && !strings.HasPrefix(request, "list ")
	}
	require.Eventually(d.t, func() bool { return !slices.ContainsFunc(d.requestsFor(calm), writes) }, timeout, interval, "the operator writes all the time")
}

// says waits until the rule of a namespace is ready, or not ready for the reason.
func (d *driver) says(role, reason, message string) {
	d.t.Helper()
	rule := &v1.Projection{}
	require.EventuallyWithT(d.t, func(c *assert.CollectT) {
		require.NoError(d.t, d.client.Get(context.Background(), client.ObjectKey{Namespace: d.name(role), Name: "p1"}, rule))
		ready := meta.FindStatusCondition(rule.Status.Conditions, v1.ConditionReady)
		require.NotNil(c, ready)
		assert.Equal(c, reason, ready.Reason, ready.Message)
		assert.Contains(c, ready.Message, message)
	}, timeout, interval)
}

// TestRulesThatSelectEachOthersCopies lets namespaces mirror all that there is in each other, and give each copy another name. No copy comes from
// another copy of the same rule, however long the way is.
func TestRulesThatSelectEachOthersCopies(t *testing.T) {
	const longer = "source.metadata.name + '-x'"
	for seed, test := range map[uint64]struct {
		name   string
		roles  []string
		writes int
	}{
		0x4011: {"two rules", []string{"n1", "n2"}, 2},
		0x4012: {"three rules", []string{"n1", "n2", "n3"}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newPermissive(t, seed, test.roles...)
			d.source("n1", "a")
			for i, from := range test.roles {
				d.mirrorAll(test.roles[(i+1)%len(test.roles)], from, longer)
			}
			d.says("n2", v1.ReasonSourceNotProjectable, "rules copy in a circle")
			d.rests()
			require.Equal(t, 1+test.writes, d.objects(), "the source, and one copy of each rule")
			assert.Len(t, d.copyWrites(), test.writes, "%v", d.copyWrites())

			before := len(d.copyWrites())
			require.NoError(t, d.write(configMap, "n1", "a", "blue", false, `"true"`, 1))
			d.rests()
			assert.Equal(t, test.writes, len(d.copyWrites())-before, "one write for each copy, and no more rounds")
			d.endsAll()
			d.source("n1", "a")
			require.Eventually(t, func() bool { return d.objects() == 1+test.writes }, timeout, interval)
			d.rests()
		})
	}
}

// TestRulesThatSelectEachOthersCopiesUnderOneName lets two namespaces mirror all that there is in each other, under the same names.
func TestRulesThatSelectEachOthersCopiesUnderOneName(t *testing.T) {
	for seed, expression := range map[uint64]string{0x4013: "", 0x4014: "source.metadata.name"} {
		t.Run("names by "+expression, func(t *testing.T) {
			t.Parallel()
			d := newPermissive(t, seed, "n1", "n2")
			d.source("n1", "a")
			d.mirrorAll("n2", "n1", expression)
			d.mirrorAll("n1", "n2", expression)
			d.says("n2", v1.ReasonProjected, "")
			d.says("n1", v1.ReasonDestinationConflict, "")
			d.rests()
			assert.Len(t, d.copyWrites(), 2, "a copy, and one that finds the source in its place: %v", d.copyWrites())
			d.endsAll()
		})
	}
}

// TestRuleMergesNoSelectedCopyOfItsOwnCopy has a rule merge a layer that another rule, which selects its sources, would make of the merged copy.
func TestRuleMergesNoSelectedCopyOfItsOwnCopy(t *testing.T) {
	t.Parallel()
	d := newPermissive(t, 0x4015, "n1", "n2")
	d.source("n1", "a")
	d.mirrorAll("n1", "n2", "'layer-' + source.metadata.name")
	d.mirrorAll("n2", "n1", "", func(spec *v1.ProjectionSpec) {
		spec.Source.Name, spec.Source.Selector = "a", nil
		spec.Merge = &v1.Merge{
			Layers: []v1.Layer{{Namespace: d.name("n1"), Name: "layer-a", Optional: true}}, OnKeyConflict: v1.KeyConflictJoin,
		}
	})
	d.says("n1", v1.ReasonSourceNotProjectable, "rules copy in a circle")
	d.rests()
	assert.Len(t, d.copyWrites(), 1, "%v", d.copyWrites())
	d.endsAll()
}

// copyWrites returns the requests of the operator that have written copies in these namespaces.
func (d *circle) copyWrites() (writes []string) {
	d.t.Helper()
	requests, err := d.plane.RequestsSince(d.mark, d.user)
	require.NoError(d.t, err)
	for _, request := range requests {
		if request.Verb == "patch" && request.Resource == "configmaps" {
			writes = append(writes, request.String())
		}
	}
	return writes
}
