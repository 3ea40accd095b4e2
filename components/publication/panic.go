package publication

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/log"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/panics"
)

// errPanic says that the operator has a bug. It does not quote the panic, which may hold a value of an object.
var errPanic = errors.New("the operator panicked in a pass, and tries again; please report the stack that its log has with the message \"Panic\"")

// catchPanic calls the function, and returns an error if it panics, so that a panic affects nothing else.
func (p *publication) catchPanic(ctx context.Context, do func() error) error {
	return panics.Catch(do, func(caught panics.Panic) error {
		p.engine.options.Metrics.Panicked(v1alpha1.KindPublishedResource)
		caught.Log(log.FromContext(ctx).WithValues("publishedresource", p.name), errPanic)
		return errPanic
	})
}
