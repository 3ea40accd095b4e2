package component

import (
	"context"

	"projection.sh/operator/primitives/concepts"
)

// SuspendWhen suspends one resource when the condition holds, while the component goes on: the object is applied in its
// suspended form, or deleted if that is how the resource is suspended. Once it is suspended, the resource is left out of the
// condition; until then it counts as Scaling, or blocks the component as it would without the option. Its guard is not asked. Given
// several times, one that holds is enough.
//
// A resource that is suspended by deletion puts no values into its data cells: a later resource with a data guard on one of
// them blocks the component.
//
// Example: a component has a server and a worker. The worker is scaled to zero at night; the server, and the condition, stay.
func SuspendWhen(condition bool) ResourceOption {
	return func(c *resourceConfig) {
		c.suspendGiven = true
		c.suspend = c.suspend || condition
	}
}

// suspendOne suspends a resource while its component goes on.
func (p *pass) suspendOne(ctx context.Context, r registration) (ResourceResult, error) {
	result, err := p.suspendResource(ctx, r, r.resource.(concepts.Suspendable))
	if result.Status != Suspended && !result.Blocked() {
		result.Status = AliveScaling
	}
	return result, err
}
