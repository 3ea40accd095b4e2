package publication

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"projection.sh/operator/api/v1alpha1"
	"projection.sh/operator/components/impersonate"
)

// newPass returns what a pass needs to know. Nil: nothing can be done yet, and something enqueues the object when it can.
func (c *consumer) newPass(ctx context.Context, key types.NamespacedName) (*pass, *problem) {
	v, ready := c.p.view()
	if !ready {
		return nil, nil
	}
	p := &pass{view: v, c: c, key: key, origin: Origin{Cluster: c.identity(), Namespace: key.Namespace, Name: key.Name}, leaving: c.isLeaving()}
	if wrong := p.findConsumer(ctx); wrong != nil {
		return nil, wrong
	}
	var err error
	if p.ofService, err = c.p.engine.sides.declared(ctx, v.offer.spec.Service.Cluster); err != nil && v.service != nil {
		return nil, &problem{reason: v1alpha1.ReasonUnreachable, message: "the RemoteCluster " + v.offer.spec.Service.Cluster + " is not known"}
	}
	if err := v.started(ctx); err != nil {
		return nil, &problem{reason: v1alpha1.ReasonUnreachable, message: "the copies cannot be listed, and nothing is written until they can: " +
			v.service.sentence(err)}
	}
	if wrong := p.outOfScope(); wrong != nil {
		return nil, wrong
	}
	return p, nil
}

// findConsumer looks up the cluster of the consumer. One that no RemoteCluster declares is one that nobody waits for; one that is not connected is not.
func (p *pass) findConsumer(ctx context.Context) *problem {
	cluster := p.c.cluster
	var err error
	p.ofConsumer, err = p.c.p.engine.sides.declared(ctx, cluster)
	isDeclared := !apierrors.IsNotFound(err)
	if err != nil && (isDeclared || !p.leaving) {
		return &problem{reason: v1alpha1.ReasonUnreachable, message: "the RemoteCluster " + cluster + " is not known"}
	}
	p.abandoned = !isDeclared || p.c.isAbandoned()
	if p.at, err = p.c.p.engine.sides.get(cluster); err != nil && !(p.leaving && p.abandoned) {
		return &problem{reason: v1alpha1.ReasonUnreachable, message: "the cluster " + cluster + " is not connected"}
	}
	p.target = p.ofConsumer.target(p.origin.Cluster)
	if p.api.isWithdrawn && p.at != nil {
		return p.findKind(ctx)
	}
	return nil
}

// findKind asks the cluster of the consumer how it serves the kind, which the service does not serve any more.
func (p *pass) findKind(ctx context.Context) *problem {
	kind, err := p.at.kindOf(ctx, p.offer.consumerKind())
	if err != nil && !errors.Is(err, errNotServed) {
		return &problem{reason: v1alpha1.ReasonUnreachable, message: p.at.sentence(err)}
	}
	p.api = &api{consumer: kind, isWithdrawn: true}
	return nil
}

// objects are the consumer's objects in the namespace.
func (p *pass) objects() dynamic.ResourceInterface {
	return inNamespace(p.at.Content.Resource(p.resource()), p.key.Namespace)
}

// inService are the objects of the kind in a namespace of the service.
func (p *pass) inService(namespace string) dynamic.ResourceInterface {
	return inNamespace(p.service.Content.Resource(p.api.service.GroupVersionResource), namespace)
}

func inNamespace(client dynamic.NamespaceableResourceInterface, namespace string) dynamic.ResourceInterface {
	if namespace == "" {
		return client
	}
	return client.Namespace(namespace)
}

func (p *pass) asConsumer(ctx context.Context) context.Context {
	return impersonate.As(ctx, p.ofConsumer.user())
}

func (p *pass) asService(ctx context.Context) context.Context {
	return impersonate.As(ctx, p.ofService.user())
}
