package property_test

import (
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// ofAdopters is the name of the copies of rules that adopt: no source has it, so no source becomes a copy.
const ofAdopters = "x"

// adopts has a rule with such copies adopt, or not. It uses numbers of its own, so that histories without it stay as they are.
func (d *driver) adopts(rule *v1.ClusterProjection, spec *v1.ClusterProjectionSpec) {
	rng := rand.New(rand.NewPCG(d.seed+2, uint64(len(d.history))))
	policies := []v1.ConflictPolicy{spec.Policy.OnConflict, v1.ConflictRefuse, v1.ConflictAdoptIdentical, v1.ConflictAdopt, v1.ConflictAdopt}
	if spec.Destination.Name != ofAdopters {
		return
	}
	spec.Policy.OnConflict = policies[rng.IntN(len(policies))]
	if spec.Policy.OnConflict.Adopts() {
		spec.Overlay.Fields = nil // what is identical is compared without expressions
		d.adopting[fieldManager(rule)] = true
	}
}

// mayBeAdopted reports whether there was a rule that adopts objects at the place.
func (d *driver) mayBeAdopted(at oracle.Place) bool {
	return at.Name == ofAdopters && len(d.adopting) > 0
}

// noteAdopted notes the foreign objects that rules have made copies, and those that have ended as copies since: deleted with a rule, or made
// ordinary objects again.
func (d *driver) noteAdopted(state oracle.State) {
	for at, noted := range d.foreign {
		if !d.mayBeAdopted(at) || oracle.IsClaimed(noted) {
			continue
		}
		live, exists := state.Objects[at]
		switch {
		case !exists || live.GetUID() != noted.GetUID():
			delete(d.foreign, at)
		case oracle.IsClaimed(live):
			d.adopted[live.GetUID()] = noted
			delete(d.foreign, at)
		case d.wasAdopted(live):
			d.foreign[at] = live
		}
	}
}

// wasAdopted reports whether a rule that adopts has applied the object.
func (d *driver) wasAdopted(object *unstructured.Unstructured) bool {
	for _, entry := range object.GetManagedFields() {
		if d.adopting[entry.Manager] && entry.Operation == "Apply" {
			return true
		}
	}
	return false
}
