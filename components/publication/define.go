package publication

import (
	"context"
	"fmt"
	"time"

	"projection.sh/operator/api/v1alpha1"
)

// settleTime is how long an API server may take to serve a kind whose definition was installed.
const settleTime = time.Second

// define brings the definition of the consumer up to date, and watches its objects when the kind is served.
func (c *consumer) define(ctx context.Context) ending {
	v, ready := c.p.view()
	at, err := c.p.engine.sides.get(c.cluster)
	switch {
	case c.isLeaving():
		return c.defineLeaving(ctx, v, ready, at)
	case !ready:
		return ending{result: &result{}}
	case err != nil:
		return failedDefinition(v1alpha1.ReasonUnreachable, "the cluster "+c.cluster+" is not connected", false)
	}
	permits, err := c.p.engine.sides.declared(ctx, c.cluster)
	if err != nil {
		return failedDefinition(v1alpha1.ReasonUnreachable, "the RemoteCluster "+c.cluster+" is not known", true)
	}
	kind := v.api.consumer.kind().GroupKind()
	if why := permits.forbids(kind, v1alpha1.Pull); why != "" {
		c.unwatch()
		return failedDefinition(v1alpha1.ReasonNotPermitted, "the RemoteCluster "+c.cluster+" "+why, false)
	}
	if at.identity == v.service.identity && kind == v.api.service.kind().GroupKind() {
		return failedDefinition(v1alpha1.ReasonPublicationInvalid,
			fmt.Sprintf("%s serves the kind itself: consumers there need another kind or group, by projection", at), false)
	}
	if permits.paused() {
		return failedDefinition(v1alpha1.ReasonPaused, "the RemoteCluster "+c.cluster+" is paused", false)
	}
	c.setIdentity(at.identity)
	served, wrong := c.p.install(ctx, at, v.offer, v.api)
	end := ending{result: &result{problem: wrong, ready: served}, retry: wrong != nil && !wrong.stalled}
	if served {
		c.watchObjects(at, v)
	} else if wrong == nil {
		end.after, end.why = settleTime, down
	}
	return end
}

func failedDefinition(reason, message string, retry bool) ending {
	return ending{result: &result{problem: &problem{reason: reason, message: message, stalled: reason == v1alpha1.ReasonNotPermitted}}, retry: retry}
}
