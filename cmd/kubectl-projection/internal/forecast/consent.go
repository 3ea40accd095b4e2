package forecast

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/components/watch"
)

// consent says whether the owner of a source permits a copy.
type consent int

const (
	granted consent = iota
	denied
	hidden // the caller may not read what decides it
)

// consentTo says whether the owner of the source permits a copy in the namespace. A source that does not exist consents only if the record of the rule
// names it.
func (l *leftovers) consentTo(source, namespace string, isGone bool) consent {
	if _, isSource := l.branches[source]; !isSource {
		return granted // the copy is not retained
	}
	if !isGone {
		return l.permits(source, namespace)
	}
	recorded := ""
	if l.before != nil {
		recorded = l.before.Object.GetAnnotations()[v1.AnnotationConsentingSource]
	}
	switch recorded {
	case source:
		return granted
	case "":
		return denied
	default:
		return hidden // the record can have hashes of several sources
	}
}

// permits returns a function that says whether the owners of a source of the rule, and of the layers, permit a copy in a namespace. Each source is read
// once.
func (f *Forecaster) permits(ctx context.Context, spec owner.Spec) func(source, namespace string) consent {
	type permission struct {
		policy.Permission
		known bool
	}
	known := map[string]permission{}
	return func(source, namespace string) consent {
		found, isKnown := known[source]
		if !isKnown {
			found.Permission, found.known = f.permission(ctx, spec, source)
			known[source] = found
		}
		if !found.known {
			return hidden
		}
		if !found.IsLimited() {
			return granted
		}
		labels, exists, err := watch.NamespaceLabels(ctx, f.namespaces, namespace)
		switch {
		case err != nil || !exists:
			return hidden
		case found.Permits(labels):
			return granted
		default:
			return denied
		}
	}
}

// permission returns what the owners of the source with that name, and those of the layers, permit, and whether that is known.
func (f *Forecaster) permission(ctx context.Context, spec owner.Spec, source string) (all policy.Permission, known bool) {
	refs := []v1.SourceRef{spec.Source}
	if spec.Selects() {
		refs[0] = spec.For(source[strings.LastIndex(source, "/")+1:]).Source
	}
	for _, layer := range spec.Merge.Layers {
		refs = append(refs, layer.Source)
	}
	for _, ref := range refs {
		kind, err := f.resolver.Resolve(ctx, ref)
		if err != nil {
			return all, false
		}
		object, err := f.Metadata(ctx, kind, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name})
		if err != nil || object == nil {
			return all, false
		}
		permits, err := policy.PermissionOf(object.Annotations)
		if err != nil {
			return all, false
		}
		all = all.And(permits)
	}
	return all, true
}
