package property_test

import (
	"cmp"
	"math/rand/v2"

	v1 "projection.sh/operator/api/v1"
)

// merge chooses what is merged with the source, or with what is selected. It uses numbers of its own, too.
func (d *driver) merge(source v1.SourceRef, copyKind string) *v1.Merge {
	rng := rand.New(rand.NewPCG(d.seed+5, uint64(len(d.history))))
	without := 3
	if source.Selector != nil {
		without = 2
	}
	if source.Kind == widget.Kind || rng.IntN(without) > 0 {
		return nil
	}
	chosen := &v1.Merge{OnKeyConflict: []v1.KeyConflictPolicy{v1.KeyConflictFirst, v1.KeyConflictLast, v1.KeyConflictJoin}[rng.IntN(3)]}
	for range 1 + rng.IntN(3) {
		chosen.Layers = append(chosen.Layers, d.layer(rng, cmp.Or(copyKind, source.Kind)))
	}
	if source.Selector != nil {
		chosen.Layers = chosen.Layers[1:]
	}
	return chosen
}

// layer chooses a layer of copies of the kind, by its name or by a selector. One of four is not optional.
func (d *driver) layer(rng *rand.Rand, kind string) v1.Layer {
	layer := v1.Layer{Namespace: d.name(homes[rng.IntN(len(homes))]), Name: sources[rng.IntN(len(sources))], Kind: "ConfigMap", Optional: true}
	if kind == "Secret" && rng.IntN(2) == 0 {
		layer.Kind = "Secret"
	}
	if rng.IntN(3) == 0 {
		layer.Name, layer.Selector = "", &v1.SourceSelector{MatchLabels: map[string]v1.LabelValue{"color": colors[rng.IntN(len(colors))]}}
	}
	layer.Optional = rng.IntN(4) > 0
	return layer
}

// nameOfMerged chooses the name of the copy of all that a rule selects.
func (d *driver) nameOfMerged() string {
	rng := rand.New(rand.NewPCG(d.seed+7, uint64(len(d.history))))
	return places[rng.IntN(len(places))]
}
