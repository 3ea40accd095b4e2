package property_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// rollout chooses a rollout, or none. It never ends in a halt or waits for time to pass, so in the end all copies have the present content. Where every
// request for content is to bear the name of a service account, no copy is read for its health: the operator does that in its own name. It
// uses numbers of its own, so that histories stay as they were otherwise.
func (d *driver) rollout() *v1.Rollout {
	r := rand.New(rand.NewPCG(d.seed, ^uint64(len(d.history))+2))
	if r.IntN(10) < 6 {
		return nil
	}
	chosen := &v1.Rollout{MaxFailures: new(intstr.FromString("100%"))}
	switch r.IntN(3) {
	case 0:
		chosen.MaxUnavailable = new(intstr.FromInt32(1))
	case 1:
		chosen.MaxUnavailable = new(intstr.FromString("50%"))
	}
	if r.IntN(2) == 0 && !d.named {
		chosen.Until, chosen.ProgressDeadlineSeconds = v1.RolloutUntilHealthy, new(int32(1))
	}
	for len(chosen.Waves) < 3 && r.IntN(10) < 4 {
		group := groups[1+r.IntN(len(groups)-1)]
		chosen.Waves = append(chosen.Waves, v1.Wave{NamespaceSelector: v1.WaveSelector{MatchLabels: map[string]v1.LabelValue{groupLabel: group}}})
	}
	return chosen
}

// sicken has a Widget say that it is not healthy, or that it is.
func (d *driver) sicken() {
	role := pick(d, roles)
	object, says := d.at(widget, role, pick(d, places)), pick(d, []string{"True", "False", "False"})
	if d.isForeign(object) || d.ending[role] {
		d.did(nil, "no copy %s to be ready or not", oracle.PlaceOf(object))
		return
	}
	d.did(d.saysReady(object, says), "%s says that it is ready: %s", oracle.PlaceOf(object), says)
}

// heal has all Widgets say that they are healthy, so that no rollout waits for them.
func (d *driver) heal() {
	state, err := d.state()
	require.NoError(d.t, err)
	for _, object := range state.Objects {
		if conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions"); len(conditions) > 0 && !d.isForeign(object) {
			require.NoError(d.t, client.IgnoreNotFound(d.saysReady(object.DeepCopy(), "True")))
		}
	}
}

// saysReady has the object say whether it is ready.
func (d *driver) saysReady(object client.Object, status string) error {
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q}]}}`, status)
	return d.client.Status().Patch(context.Background(), object, client.RawPatch(types.MergePatchType, []byte(patch)))
}
