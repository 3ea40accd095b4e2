package v1alpha1

// ClusterAccess says how a cluster is reached.
//
// +kubebuilder:validation:XValidation:rule="[has(self.kubeconfig), has(self.inCluster)].filter(x, x).size() == 1",reason=FieldValueRequired,message="set one of kubeconfig and inCluster: kubeconfig names a Secret that says how the cluster is reached, and inCluster: {} stands for the operator's own cluster"
type ClusterAccess struct {
	// kubeconfig names a Secret that has a kubeconfig.
	// +optional
	Kubeconfig *KubeconfigAccess `json:"kubeconfig,omitempty"`

	// inCluster stands for the cluster that the operator runs in, so that rules can select it like others.
	// +optional
	InCluster *InClusterAccess `json:"inCluster,omitempty"`
}

// KubeconfigAccess names a kubeconfig.
type KubeconfigAccess struct {
	// secret is the name of a Secret in the operator's namespace. Its kubeconfig may have a token or a client certificate, a server, an authority
	// and an HTTP proxy, each as data. One that runs a program (exec), names a file, has a password or an auth-provider, or does not check the
	// certificate of the server, is refused.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a Secret: write it without its namespace, which is that of the operator, like \"eu-1-kubeconfig\""
	Secret string `json:"secret"`

	// key is the key of the Secret that has the kubeconfig. Defaults to kubeconfig, or value, as Cluster API writes it, if there is no such key.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[-._a-zA-Z0-9]+$')",reason=FieldValueInvalid,message="this cannot be the key of a Secret: write letters, digits, \"-\", \"_\" and \".\", or remove it"
	Key string `json:"key,omitempty"`

	// context is the context of the kubeconfig. Defaults to its current-context.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Context string `json:"context,omitempty"`
}

// InClusterAccess has no fields.
type InClusterAccess struct{}

// ClusterImpersonation says in whose name requests are made.
//
// +kubebuilder:validation:XValidation:rule="[has(self.user), has(self.perNamespace)].filter(x, x).size() == 1",reason=FieldValueRequired,message="set one of user and perNamespace: user is one for all rules, and perNamespace one for each namespace of rules, like \"projection:ns:{namespace}\""
type ClusterImpersonation struct {
	// user is the name of a user there.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[!-~]+$') && !self.startsWith('system:')",reason=FieldValueInvalid,message="this cannot be impersonated: write the name of a user without spaces that does not begin with \"system:\", like \"projection:platform\""
	User string `json:"user,omitempty"`

	// perNamespace is the name of a user there, in which {namespace} stands for the namespace of the Projection. A ClusterProjection has no
	// namespace, and cannot be used then.
	// +optional
	// +kubebuilder:validation:MaxLength=190
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9][!-z|~]*[{]namespace[}][!-z|~]*$') && !self.startsWith('system:')",reason=FieldValueInvalid,message="write the name of a user with {namespace} in it once, and not at its beginning, without spaces, that does not begin with \"system:\", like \"projection:ns:{namespace}\""
	PerNamespace string `json:"perNamespace,omitempty"`
}
