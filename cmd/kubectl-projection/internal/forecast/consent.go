package forecast

import (
	"context"

	v1 "projection.sh/operator/api/v1"
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
	branch, isSource := l.branches[source]
	if !isSource {
		return granted // the copy is not retained
	}
	if !isGone && branch.Refused != nil {
		return hidden // it is not known what is copied
	}
	if !isGone {
		return l.permits(branch.permission, namespace)
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

// permits says whether the owners of what a rule copies, who permit copies there, permit one in the namespace.
func (f *Forecaster) permits(ctx context.Context, permission policy.Permission, namespace string) consent {
	if !permission.IsLimited() {
		return granted
	}
	labels, exists, err := watch.NamespaceLabels(ctx, f.namespaces, namespace)
	switch {
	case err != nil || !exists:
		return hidden
	case permission.Permits(labels):
		return granted
	default:
		return denied
	}
}
