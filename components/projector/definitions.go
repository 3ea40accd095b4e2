package projector

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/watch"
)

// DefinitionsChanged enqueues every rule whose source is of the API group, or that may have copies of it; "" stands for all
// groups. If the group is that of the rules themselves, it reads their CustomResourceDefinition again, and enqueues all rules if
// that has changed.
func (p *Projector[O]) DefinitionsChanged(ctx context.Context, group string) error {
	noticed := p.clock()
	redefined := (group == "" || group == v1.GroupVersion.Group) && p.hub.Schema.Changed(ctx)
	return p.each(ctx, func(rule O) {
		if group == "" || redefined || p.adapter.Spec(rule).Source.Group == group || hasWritten(rule, group) {
			p.Enqueue(watch.RuleKey{Kind: p.adapter.Kind.String(), NamespacedName: client.ObjectKeyFromObject(rule)}, watch.SourceChanged, noticed)
		}
	})
}

// hasWritten reports whether the rule may have copies of a kind of the group.
func hasWritten(rule client.Object, group string) bool {
	return slices.ContainsFunc(recordedKinds(rule), func(kind schema.GroupKind) bool { return kind.Group == group })
}

// each calls the function with every rule of the cache that the options select. It must not change them.
func (p *Projector[O]) each(ctx context.Context, do func(O), options ...client.ListOption) error {
	list := p.adapter.NewList()
	if err := p.hub.Client.List(ctx, list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		return fmt.Errorf("list the rules: %w", err)
	}
	return meta.EachListItem(list, func(object runtime.Object) error {
		if rule, ok := object.(O); ok {
			do(rule)
		}
		return nil
	})
}
