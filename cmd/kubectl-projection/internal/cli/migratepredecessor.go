package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/migrate"
	"projection.sh/operator/components/owner"
)

// migratePredecessor prints what of the rules of be0x74a/projection needs a look. The rules themselves stay as they are.
func (o *options) migratePredecessor(ctx context.Context, m *migration, i inquiry) error {
	rules, err := i.cluster.Rules(ctx, i.namespace, metav1.ListOptions{})
	if err != nil {
		return err
	}
	found := &migrateReport{Results: []migrate.Result{}, Unknown: rules.Unknown}
	for _, rule := range rules.Items {
		notes, err := i.predecessorNotes(ctx, rule)
		if err != nil {
			return err
		}
		if len(notes) > 0 {
			found.Results = append(found.Results, migrate.Result{Title: rule.String(), Notes: notes})
		}
	}
	var unknown []string
	for _, resource := range rules.Unknown {
		unknown = append(unknown, "you may not list "+resource)
	}
	if !i.settings.Known {
		unknown = append(unknown, "which namespaces the operator excludes from selectors: these are those of the default, "+
			strings.Join(i.settings.Excluded, ", "))
	}
	text := func(w io.Writer) error {
		return migrate.WritePredecessor(w, len(rules.Items), found.Results, unknown)
	}
	return m.out.print(o.Out, report{kind: "Migration", data: found, text: text})
}

// predecessorNotes returns what the operator does otherwise than be0x74a/projection for the rule.
func (i inquiry) predecessorNotes(ctx context.Context, rule access.Rule) (notes []string, err error) {
	if rule.Spec.Source.Selector != nil {
		return nil, nil
	}
	mapping, err := i.cluster.Mapper.RESTMapping(rule.Spec.Source.GroupKind())
	if meta.IsNoMatchError(err) {
		return []string{fmt.Sprintf("The API server serves no kind %s.", rule.Spec.Source.GroupKind())}, nil
	}
	if err != nil {
		return nil, err
	}
	source, isHidden, err := i.metadataOf(ctx, mapping.Resource, types.NamespacedName{Namespace: rule.Spec.Source.Namespace, Name: rule.Spec.Source.Name})
	if err != nil {
		return nil, err
	}
	if isHidden {
		notes = append(notes, unknownValue+": you may not read its source: it may be a copy, and a copy does not consent any more.")
	}
	if source != nil {
		for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
			if _, isCopy := kind.OwnerOf(source); isCopy {
				notes = append(notes, fmt.Sprintf("Its source is a copy, and a copy does not consent any more. Let the rule name the original: %s.",
					originOf(source)))
			}
		}
	}
	excluded, err := i.excludedCopies(ctx, mapping.Resource, rule)
	return append(notes, excluded...), err
}

func originOf(source *metav1.PartialObjectMetadata) string {
	if origin := parseSource(source.Annotations[v1.AnnotationSource]); origin != nil {
		return origin.String()
	}
	return "the rule of the copy has it"
}

// excludedCopies returns notes on the copies in namespaces that the selector of the rule matches and that the operator excludes.
func (i inquiry) excludedCopies(ctx context.Context, resource schema.GroupVersionResource, rule access.Rule) (notes []string, err error) {
	object, isCluster := rule.Object.(*v1.ClusterProjection)
	if !isCluster || object.Spec.Destination.NamespaceSelector == nil {
		return nil, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(object.Spec.Destination.NamespaceSelector.LabelSelector())
	if err != nil {
		return nil, err
	}
	name := rule.Spec.Name
	if name == "" {
		name = rule.Spec.Source.Name
	}
	for _, excluded := range slices.Sorted(slices.Values(i.settings.Excluded)) {
		namespace, isHidden, err := i.metadataOf(ctx, access.NamespaceResource, types.NamespacedName{Name: excluded})
		if err != nil {
			return nil, err
		}
		if !isHidden && (namespace == nil || !selector.Matches(labels.Set(namespace.Labels))) {
			continue
		}
		note, err := i.excludedCopy(ctx, resource, rule, types.NamespacedName{Namespace: excluded, Name: name}, isHidden)
		if err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

// excludedCopy returns a note on the copy of the rule in a namespace that the operator excludes; empty: there is none. The namespace may be hidden.
func (i inquiry) excludedCopy(
	ctx context.Context, resource schema.GroupVersionResource, rule access.Rule, at types.NamespacedName, isHidden bool,
) (note string, err error) {
	there, isCopyHidden, err := i.metadataOf(ctx, resource, at)
	switch copied := forecast.ObjectOf(rule.Spec.KindOfCopies(), at); {
	case err != nil:
		return "", err
	case isCopyHidden || isHidden && there != nil && rule.Owns(there):
		return fmt.Sprintf("%s: you may not read the namespace %s, or the copy in it, and the operator excludes it: "+
			"if the selector matches it, and %s is a copy, this is deleted.", unknownValue, at.Namespace, copied), nil
	case there != nil && rule.Owns(there):
		return fmt.Sprintf("Its selector matches the namespace of %s, which the operator excludes: the copy is deleted. "+
			"To keep it, set the chart value selectorExcludedNamespaces, or list the namespaces.", copied), nil
	default:
		return "", nil
	}
}

// metadataOf reads the metadata of an object. Nil: there is none, or it is hidden from the caller.
func (i inquiry) metadataOf(
	ctx context.Context, resource schema.GroupVersionResource, at types.NamespacedName,
) (object *metav1.PartialObjectMetadata, isHidden bool, err error) {
	object, err = i.cluster.ObjectMetadata(ctx, resource, at)
	if access.IsUnknown(err) {
		return nil, true, nil
	}
	return object, false, err
}
