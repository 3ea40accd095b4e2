package push

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/panics"
)

// errPanic is what a panic has become.
var errPanic = errors.New("internal error; the log of the operator has the stack")

// catchPanic calls the function, and returns an error if it panics: a bug that concerns one cluster does not end the process.
func (c *Clusters) catchPanic(do func() error) error {
	return panics.Catch(do, func(p panics.Panic) error {
		c.metrics.Panicked(v1.KindClusterProjection)
		p.Log(log.FromContext(c.ctx), errPanic)
		return errPanic
	})
}
