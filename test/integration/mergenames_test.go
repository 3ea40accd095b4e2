package integration_test

import (
	"testing"

	v1 "projection.sh/operator/api/v1"
)

// TestExpressionNamesCopiesOfSeveralObjects has an expression name a copy after its source, whatever its layers are called.
func TestExpressionNamesCopiesOfSeveralObjects(t *testing.T) {
	w := newWorld(t)
	source, layer := w.Apply(configMap), w.layer("second", `{shape: round}`)
	rule := w.Project("merged", source, w.merging("", "second"), func(rule *v1.Projection) {
		rule.Spec.Destination = v1.ProjectionDestination{NameExpression: "source.metadata.name + '-of-several'"}
	})
	w.has("settings-of-several", whole)
	w.Ready(rule)
	w.Merge(layer, `{"data":{"shape":"square"}}`)
	w.has("settings-of-several", map[string]string{"color": "red", "size": "1", "shape": "square"})
}
