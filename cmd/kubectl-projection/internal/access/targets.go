package access

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/api/v1alpha1"
)

// CopiesInto reports whether the rule wants copies in the RemoteCluster, or may have some there that it has not deleted yet.
func (r Rule) CopiesInto(remote *v1alpha1.RemoteCluster) bool {
	return r.targets(remote) || slices.Contains(r.WrittenClusters(), remote.Name)
}

// targets reports whether the rule names or selects the RemoteCluster.
func (r Rule) targets(remote *v1alpha1.RemoteCluster) bool {
	switch {
	case r.Clusters == nil:
		return false
	case r.Clusters.Selector == nil:
		return slices.Contains(r.Clusters.Names, remote.Name)
	}
	selector, err := metav1.LabelSelectorAsSelector(r.Clusters.Selector.LabelSelector())
	return err == nil && selector.Matches(labels.Set(remote.Labels)) && !slices.Contains(r.Clusters.Except, remote.Name)
}

// CreatesNamespaces reports whether the rule creates namespaces in other clusters.
func (r Rule) CreatesNamespaces() bool {
	of, isCluster := r.Object.(*v1.ClusterProjection)
	return isCluster && of.Spec.Destination.CreateNamespaces == v1.CreateNamespacesIfMissing
}

// WrittenClusters returns the names of the RemoteClusters in which the rule may have copies, as the operator has recorded them.
func (r Rule) WrittenClusters() []string {
	var names []string
	for _, written := range Listed(r.Object.GetAnnotations()[v1.AnnotationWrittenClusters]) {
		name, _, _ := strings.Cut(written, "=")
		names = append(names, name)
	}
	return names
}

// Listed returns the words of an annotation that are separated by commas.
func Listed(annotation string) []string {
	return strings.FieldsFunc(annotation, func(r rune) bool { return r == ',' || r == ' ' })
}
