package destination

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/components/health"
	"projection.sh/operator/components/impersonate"
)

// Seen is what a copy showed when it was read.
type Seen struct {
	health.Verdict
	// Version is the resourceVersion that was read.
	Version string
}

// Health reads a copy whole, in the name of the operator, and returns what its status says. A copy that does not exist is not healthy.
func (w *Writer) Health(ctx context.Context, set CopySet, at types.NamespacedName) (Seen, error) {
	set.User = impersonate.Operator()
	object, err := w.getWhole(ctx, set, set.Place(at))
	switch {
	case err != nil:
		return Seen{}, set.redact(err)
	case object.GetUID() == "":
		return Seen{Verdict: health.Verdict{Reason: "it does not exist"}}, nil
	default:
		return Seen{Verdict: health.Of(object), Version: object.GetResourceVersion()}, nil
	}
}
