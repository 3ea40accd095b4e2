package v1

// ServiceAccountName is the name of a service account.
//
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="!format.dns1123Subdomain().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a service account: write it without its namespace and the prefix \"system:serviceaccount:\", like \"promoter\""
type ServiceAccountName = string

// ServiceAccountRef names a service account.
type ServiceAccountRef struct {
	// namespace is the namespace of the service account.
	// +required
	Namespace NamespaceName `json:"namespace"`

	// name is the name of the service account.
	// +required
	Name ServiceAccountName `json:"name"`
}
