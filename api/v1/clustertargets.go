package v1

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterName is the name of a RemoteCluster.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a RemoteCluster: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"eu-1\""
type ClusterName = string

// CreateNamespaces says whether namespaces are created in other clusters.
type CreateNamespaces string

const (
	// CreateNamespacesNever creates none.
	CreateNamespacesNever CreateNamespaces = "Never"
	// CreateNamespacesIfMissing creates those that the rule lists and the cluster lacks.
	CreateNamespacesIfMissing CreateNamespaces = "IfMissing"
)

// ClusterTargets selects the clusters that copies are written into. Either names or selector is set.
//
// +kubebuilder:validation:XValidation:rule="has(self.names) || has(self.selector)",reason=FieldValueRequired,fieldPath=.names,message="at least one of names and selector must be set: list RemoteClusters, or select them by label, {} selecting all"
// +kubebuilder:validation:XValidation:rule="!(has(self.names) && has(self.selector))",reason=FieldValueForbidden,fieldPath=.selector,message="names and selector are mutually exclusive: keep the list or the selector and remove the other"
// +kubebuilder:validation:XValidation:rule="!has(self.except) || has(self.selector)",reason=FieldValueForbidden,fieldPath=.except,message="except names clusters that selector would select: remove it, or set selector in place of names"
type ClusterTargets struct {
	// names lists RemoteClusters. If one does not exist yet, the operator writes the copies when it does.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=2000
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",reason=FieldValueRequired,message="list at least one RemoteCluster, or remove names and set selector"
	Names []ClusterName `json:"names,omitempty"`

	// selector selects RemoteClusters by their labels; {} selects all. The operator writes copies into a cluster when its RemoteCluster starts to
	// match, and deletes them when it stops.
	// +optional
	Selector *ClusterSelector `json:"selector,omitempty"`

	// except lists RemoteClusters that selector does not select, whatever their labels are.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=200
	Except []ClusterName `json:"except,omitempty"`
}

// ClusterSelector is a standard label selector, as NamespaceSelector is, with smaller limits.
//
// +kubebuilder:object:generate=false
type ClusterSelector struct {
	// matchLabels selects RemoteClusters that have all of these labels with these values.
	// +optional
	// +kubebuilder:validation:MaxProperties=10
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",reason=FieldValueInvalid,message="not every key can be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case",messageExpression="self.map(k, format.qualifiedName().validate(k).hasValue(), '\"' + k + '\" cannot be the key of a label: write \"name\" or \"example.com/name\"; the name is at most 63 letters, digits, \"-\", \"_\" and \".\", the prefix a DNS name in lower case')[0]"
	MatchLabels map[string]LabelValue `json:"matchLabels,omitempty"`

	// matchExpressions selects RemoteClusters whose labels meet all of these requirements.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	MatchExpressions []WaveSelectorRequirement `json:"matchExpressions,omitempty"`
}

// LabelSelector converts the selector to the type of the Kubernetes libraries. Nil, which matches nothing, stays nil.
func (s *ClusterSelector) LabelSelector() *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	return labelSelector(s.MatchLabels, s.MatchExpressions)
}

// DeepCopyInto copies the selector into out.
func (s *ClusterSelector) DeepCopyInto(out *ClusterSelector) {
	out.MatchLabels, out.MatchExpressions = maps.Clone(s.MatchLabels), cloneRequirements(s.MatchExpressions)
}

// DeepCopy returns a copy that shares nothing with the selector. That of nil is nil.
func (s *ClusterSelector) DeepCopy() *ClusterSelector {
	if s == nil {
		return nil
	}
	out := new(ClusterSelector)
	s.DeepCopyInto(out)
	return out
}

// MaxClusterFailures is the maximum number of failures of clusters in the status of a ClusterProjection.
const MaxClusterFailures = 20

// ClusterCounts counts the clusters that a ClusterProjection copies into. Each that is targeted is in sync, failed or unreachable, or waits for the
// operator to write into it.
type ClusterCounts struct {
	// targeted is the number of clusters that the rule names or selects.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Targeted int32 `json:"targeted"`

	// inSync is the number of clusters in which every copy is in sync.
	// +optional
	// +kubebuilder:validation:Minimum=0
	InSync int32 `json:"inSync"`

	// failed is the number of clusters that are reached and in which a copy could not be written, and of those that the rule cannot use.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Failed int32 `json:"failed"`

	// unreachable is the number of clusters that cannot be reached. Their copies stay as they are.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Unreachable int32 `json:"unreachable"`
}

// ClusterFailure reports why a cluster, or a namespace in it, lacks its copy, or has one that is out of sync.
type ClusterFailure struct {
	// cluster is the name of the RemoteCluster.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Cluster string `json:"cluster"`

	// namespace is the target namespace in the cluster. It is absent if the failure is that of the whole cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// reason is one of the reasons of the condition DestinationWritten.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	Reason string `json:"reason"`

	// message explains the failure in a sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	Message string `json:"message,omitempty"`
}
