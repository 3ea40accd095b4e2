package property_test

import (
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "projection.sh/operator/api/v1"
)

// rollout chooses a rollout, or none. It never ends in a halt or waits for time to pass, so in the end all copies have the present content. It
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
	for len(chosen.Waves) < 3 && r.IntN(10) < 4 {
		group := groups[1+r.IntN(len(groups)-1)]
		chosen.Waves = append(chosen.Waves, v1.Wave{NamespaceSelector: v1.WaveSelector{MatchLabels: map[string]v1.LabelValue{groupLabel: group}}})
	}
	return chosen
}
