package property_test

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// tweak changes one field of a rule: what its copies have of the source, or a label that it adds. The copies stay where they are.
func (d *driver) tweak() {
	rule := client.Object(d.clusterProjection())
	if d.chance(40) {
		rule = d.projection()
	}
	color, keys := pick(d, colors), pick(d, [][]string{{"color"}, {"color", "size"}, {"color", "size", "number"}})
	err := d.client.Get(context.Background(), client.ObjectKeyFromObject(rule), rule)
	if err == nil {
		source, content, overlay := partsOf(rule)
		if source.Kind == widget.Kind {
			overlay.Labels = map[string]string{"color": color}
		} else {
			content.Data = v1.DataFilter{Include: keys, AllowMissing: true}
		}
		d.edits(rule)
		err = d.client.Update(context.Background(), rule)
	}
	d.did(err, "change of rule %T %s/%s what the copies have: %v, or the color %s", rule, rule.GetNamespace(), rule.GetName(), keys, color)
}

// partsOf returns what a rule says of the content of its copies.
func partsOf(rule client.Object) (*v1.SourceRef, *v1.Content, *v1.Overlay) {
	switch r := rule.(type) {
	case *v1.Projection:
		return &r.Spec.Source, &r.Spec.Content, &r.Spec.Overlay
	case *v1.ClusterProjection:
		return &r.Spec.Source, &r.Spec.Content, &r.Spec.Overlay
	default:
		return nil, nil, nil
	}
}
