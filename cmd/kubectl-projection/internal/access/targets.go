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
	return r.Clusters != nil && Selects(*r.Clusters, remote)
}

// Selects reports whether the targets name or select the RemoteCluster.
func Selects(targets v1.ClusterTargets, remote *v1alpha1.RemoteCluster) bool {
	if targets.Selector == nil {
		return slices.Contains(targets.Names, remote.Name)
	}
	selector, err := metav1.LabelSelectorAsSelector(targets.Selector.LabelSelector())
	return err == nil && selector.Matches(labels.Set(remote.Labels)) && !slices.Contains(targets.Except, remote.Name)
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

// Reported returns what the operator reports of the clusters that the rule copies into. Without counts, it has reported nothing of them.
func (r Rule) Reported() (counts *v1.ClusterCounts, failures []v1.ClusterFailure) {
	object, isOfCluster := r.Object.(*v1.ClusterProjection)
	if !isOfCluster {
		return nil, nil
	}
	return object.Status.Clusters, object.Status.ClusterFailures
}

// ClustersAmong returns the names of the RemoteClusters that the rule copies into: those that it names, or those of the list that it selects.
func (r Rule) ClustersAmong(remotes []*v1alpha1.RemoteCluster) (names []string) {
	if r.Clusters == nil {
		return nil
	}
	if r.Clusters.Selector == nil {
		names = slices.Clone(r.Clusters.Names)
	}
	for _, remote := range remotes {
		if r.Clusters.Selector != nil && r.targets(remote) {
			names = append(names, remote.Name)
		}
	}
	slices.Sort(names)
	return names
}
