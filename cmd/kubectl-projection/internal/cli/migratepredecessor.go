package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
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
	text := func(w io.Writer) error {
		return migrate.WritePredecessor(w, len(rules.Items), found.Results, rules.Unknown)
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
	source, err := i.metadataOf(ctx, mapping, rule.Spec.Source.Namespace, rule.Spec.Source.Name)
	if err != nil {
		return nil, err
	}
	if source != nil {
		for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
			if _, isCopy := kind.OwnerOf(source); isCopy {
				notes = append(notes, fmt.Sprintf("Its source is a copy, and a copy does not consent any more. Let the rule name the original: %s.",
					originOf(source)))
			}
		}
	}
	excluded, err := i.excludedCopies(ctx, mapping, rule)
	for _, copied := range excluded {
		notes = append(notes, fmt.Sprintf("Its selector matches the namespace of %s, which the operator excludes: the copy is deleted. "+
			"To keep it, set the chart value selectorExcludedNamespaces, or list the namespaces.", copied))
	}
	return notes, err
}

func originOf(source *metav1.PartialObjectMetadata) string {
	if origin := parseSource(source.Annotations[v1.AnnotationSource]); origin != nil {
		return origin.String()
	}
	return "the rule of the copy has it"
}

// excludedCopies returns the copies in namespaces that the selector of the rule matches and that the operator excludes.
func (i inquiry) excludedCopies(ctx context.Context, mapping *meta.RESTMapping, rule access.Rule) (found []string, err error) {
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
		var namespace metav1.PartialObjectMetadata
		err := i.cluster.AllNamespaces().Get(ctx, types.NamespacedName{Name: excluded}, &namespace)
		if access.IsUnknown(err) || apierrors.IsNotFound(err) || err == nil && !selector.Matches(labels.Set(namespace.Labels)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		there, err := i.metadataOf(ctx, mapping, excluded, name)
		if err != nil {
			return nil, err
		}
		if there != nil && rule.Owns(there) {
			found = append(found, forecast.ObjectOf(rule.Spec.KindOfCopies(), types.NamespacedName{Namespace: excluded, Name: name}).String())
		}
	}
	return found, nil
}

// metadataOf reads the metadata of an object. Nil: there is none, or the caller may not read it.
func (i inquiry) metadataOf(ctx context.Context, mapping *meta.RESTMapping, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	object, err := i.cluster.Metadata.Resource(mapping.Resource).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if access.IsUnknown(err) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, err
}
