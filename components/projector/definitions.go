package projector

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/components/watch"
)

// DefinitionsChanged wakes every rule whose source is of the API group; "" stands for all groups.
func (p *Projector[O]) DefinitionsChanged(ctx context.Context, group string) error {
	noticed := p.clock()
	return p.each(ctx, func(rule O) {
		if group == "" || rule.GetSource().Group == group {
			p.Wake(watch.Rule{Kind: p.rules.Tier.Kind, NamespacedName: client.ObjectKeyFromObject(rule)}, watch.SourceChanged, noticed)
		}
	})
}

// each calls the function with every rule of the cache. It must not change them.
func (p *Projector[O]) each(ctx context.Context, do func(O)) error {
	list := p.rules.NewList()
	if err := p.parts.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("list the rules: %w", err)
	}
	return meta.EachListItem(list, func(object runtime.Object) error {
		if rule, ok := object.(O); ok {
			do(rule)
		}
		return nil
	})
}
