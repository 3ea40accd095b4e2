package push

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/panics"
)

// errPanic says that the operator has a bug.
var errPanic = errors.New("the operator panicked while it looked after a cluster, and tries again; please report the stack that its log has " +
	"with the message \"Panic\"")

// catchPanic calls the function, and returns an error if it panics: a bug that concerns one cluster does not end the process.
func (c *Clusters) catchPanic(do func() error) error {
	return panics.Catch(do, func(p panics.Panic) error {
		c.metrics.Panicked(v1.KindClusterProjection)
		p.Log(log.FromContext(c.ctx), errPanic)
		return errPanic
	})
}
