package publication

import (
	"context"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/api/v1alpha1"
)

// setAbandoned notes the clusters that nobody waits for any more, separated by commas.
func (p *publication) setAbandoned(list string) {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	p.mu.Lock()
	isNew := !slices.Equal(p.abandoned, names)
	p.abandoned = names
	var leaving []*consumer
	for _, c := range p.consumers {
		if isNew && c.isLeaving() {
			leaving = append(leaving, c)
		}
	}
	p.mu.Unlock()
	for _, c := range leaving {
		c.addAll()
	}
}

// isAbandoned reports whether nobody waits for the cluster any more.
func (c *consumer) isAbandoned() bool {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	return slices.Contains(c.p.abandoned, c.cluster)
}

// addFormer has clusters leave that are no consumers and have copies, from before this process began. If the publication is being deleted, these may be
// clusters that no RemoteCluster declares any more.
func (p *publication) addFormer(ctx context.Context, o *offer) error {
	v, ready := p.view()
	if !ready {
		return nil
	}
	if err := v.started(ctx); err != nil {
		return err
	}
	list := &v1alpha1.RemoteClusterList{}
	if err := p.engine.options.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	names := map[string]string{}
	for i := range list.Items {
		names[list.Items[i].Status.Identity] = list.Items[i].Name
	}
	p.mu.Lock()
	known := map[string]bool{}
	for _, c := range p.consumers {
		known[c.identity()] = true
	}
	var former []*consumer
	for identity := range v.copies.clusters() {
		name, declared := names[identity]
		if known[identity] || !declared && !o.deleting {
			continue
		}
		if !declared {
			name = identity
		}
		if p.consumers[name] == nil {
			p.consumers[name] = newConsumer(p, name, identity)
			former = append(former, p.consumers[name])
		}
	}
	p.mu.Unlock()
	for _, c := range former {
		c.leave(true)
	}
	return nil
}
