package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "projection.sh/operator/api/v1"
)

// PublishedResource offers a kind of the cluster of a service to the users of other clusters. Their objects are copied to the service, and the status
// comes back.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=pub,categories=projection-sh
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.service.resource.kind`,description="Kind that is offered."
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].status`,description="Whether every object of consumers is in sync."
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=='Ready')].reason`,description="Reason of the condition Ready."
// +kubebuilder:printcolumn:name="Consumers",type=integer,JSONPath=`.status.definition.consumers`,description="Number of clusters that it is offered to."
// +kubebuilder:printcolumn:name="Objects",type=integer,JSONPath=`.status.objects.accepted`,description="Number of objects of consumers that are copied."
// +kubebuilder:printcolumn:name="InSync",type=integer,JSONPath=`.status.objects.inSync`,description="Number of those whose copy is in sync."
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=='Ready')].message`,description="Message of the condition Ready."
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`,description="Time since the PublishedResource was created."
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && !self.metadata.name.contains('.')",reason=FieldValueInvalid,message="copies name the PublishedResource: give it a name without dots, of at most 63 characters, like \"certificates\""
type PublishedResource struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the standard metadata of an object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec says what is offered, and to whom.
	// +required
	Spec PublishedResourceSpec `json:"spec"`

	// status is the state that the operator last reported.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status PublishedResourceStatus `json:"status,omitzero"`
}

// PublishedResourceList is a list of PublishedResources.
//
// +kubebuilder:object:root=true
type PublishedResourceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []PublishedResource `json:"items"`
}

// PublishedResourceSpec says what is offered, and to whom.
//
// +kubebuilder:validation:XValidation:rule="!has(self.mutation) || !has(self.mutation.toService) || !has(self.mutation.toService.references) || self.mutation.toService.references.all(r, has(self.related) && self.related.exists(o, o.name == r.related))",reason=FieldValueInvalid,fieldPath=.mutation.toService.references,message="references name entries of related: add the entry, or correct its name here"
// +kubebuilder:validation:XValidation:rule="(has(self.projection) && has(self.projection.group) ? self.projection.group : \"\") == (has(oldSelf.projection) && has(oldSelf.projection.group) ? oldSelf.projection.group : \"\") && (has(self.projection) && has(self.projection.kind) ? self.projection.kind : \"\") == (has(oldSelf.projection) && has(oldSelf.projection.kind) ? oldSelf.projection.kind : \"\") && (has(self.projection) && has(self.projection.plural) ? self.projection.plural : \"\") == (has(oldSelf.projection) && has(oldSelf.projection.plural) ? oldSelf.projection.plural : \"\")",reason=FieldValueForbidden,fieldPath=.projection,message="consumers have objects of this kind: group, kind and plural cannot be changed; delete the PublishedResource and create another one"
type PublishedResourceSpec struct {
	// service says which kind is offered, and where it is served.
	// +required
	// +kubebuilder:validation:XValidation:rule="self.resource.group == oldSelf.resource.group && self.resource.kind == oldSelf.resource.kind && (has(self.cluster) ? self.cluster : '') == (has(oldSelf.cluster) ? oldSelf.cluster : '')",reason=FieldValueForbidden,message="objects of consumers have copies of this kind in this cluster: cluster, group and kind cannot be changed; delete the PublishedResource and create another one"
	Service PublishedService `json:"service"`

	// consumers says to which clusters it is offered.
	// +required
	Consumers Consumers `json:"consumers"`

	// filter says which objects of consumers are copied. One that does not match any more is treated as if it had been deleted.
	// +optional
	Filter ObjectFilter `json:"filter,omitzero"`

	// projection says how the kind looks to consumers. Left out: as in the cluster of the service.
	// +optional
	Projection APIProjection `json:"projection,omitzero"`

	// definition says who installs the CustomResourceDefinition in the clusters of consumers.
	// +optional
	Definition DefinitionPolicy `json:"definition,omitzero"`

	// naming says where the copy of an object is in the cluster of the service. It is asked when the copy is created, and not again: a copy stays
	// where it is if naming changes.
	// +optional
	Naming ObjectNaming `json:"naming,omitzero"`

	// mutation edits objects on their way to the service, and their status on its way back.
	// +optional
	Mutation ObjectMutation `json:"mutation,omitzero"`

	// related lists objects that belong to each published object, such as the Secret of a certificate.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Related []RelatedResource `json:"related,omitempty"`

	// status says how the status of copies comes back.
	// +optional
	Status StatusSync `json:"status,omitzero"`

	// adoption says what happens if something else is in the place of a copy.
	// +optional
	Adoption Adoption `json:"adoption,omitzero"`

	// deletion says what the deletion of an object of a consumer means.
	// +optional
	Deletion DeletionBehavior `json:"deletion,omitzero"`

	// suspend stops writes and deletions of objects in every cluster. CRDs stay installed.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// PublishedService says which kind is offered.
type PublishedService struct {
	// cluster is the name of the RemoteCluster in which the kind is served. Left out: this cluster.
	// +optional
	Cluster v1.ClusterName `json:"cluster,omitempty"`

	// resource is the kind. It has to be defined by a CustomResourceDefinition.
	// +required
	Resource PublishedKind `json:"resource"`
}

// PublishedKind is a kind with the versions of it that are offered.
type PublishedKind struct {
	// group is the API group of the kind, like "cert-manager.io".
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the group of a CustomResourceDefinition: write it without its version, like \"cert-manager.io\""
	Group string `json:"group"`

	// kind is the kind in PascalCase, like "Certificate".
	// +required
	Kind KindName `json:"kind"`

	// versions are those that are offered. Objects are read and written in the first one. Left out: the version that the API server prefers. Several
	// are possible if their schemas are equal without what is hidden, since nothing converts objects.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Versions []VersionName `json:"versions,omitempty"`
}

// KindName is a kind in PascalCase.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Z][A-Za-z0-9]*$')",reason=FieldValueInvalid,message="kind is written in PascalCase and in the singular, like \"Certificate\""
type KindName = string

// VersionName is a version of a kind.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^v[0-9]([-a-z0-9]*[a-z0-9])?$')",reason=FieldValueInvalid,message="a version is written without its group, like \"v1\" or \"v1beta1\""
type VersionName string

// Consumers says to which clusters a kind is offered.
type Consumers struct {
	// clusters names or selects RemoteClusters. A cluster that is not selected any more is treated as if all of its objects had been deleted.
	// +required
	Clusters v1.ClusterTargets `json:"clusters"`
}

// ObjectFilter says which objects of consumers are copied: those that meet all of it.
type ObjectFilter struct {
	// namespaceSelector selects namespaces of consumers by their labels. Left out: all.
	// +optional
	NamespaceSelector *v1.SourceSelector `json:"namespaceSelector,omitempty"`

	// objectSelector selects objects by their labels. Left out: all.
	// +optional
	ObjectSelector *v1.SourceSelector `json:"objectSelector,omitempty"`

	// expression is a CEL expression that is true for objects that are copied, such as "object.spec.dnsNames.all(n, n.endsWith('.example.com'))". It
	// knows two variables: object, the object of the consumer, and cluster, the RemoteCluster of the consumer with its name, id and labels.
	// +optional
	Expression Expression `json:"expression,omitempty"`
}

// Expression is a CEL expression.
//
// +kubebuilder:validation:MaxLength=1024
// +kubebuilder:validation:XValidation:rule="size(self) > 0",reason=FieldValueRequired,message="write a CEL expression, such as \"object.metadata.name\", or remove the field"
type Expression = string
