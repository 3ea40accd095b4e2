package v1

// ObjectName is the name of a copy, or empty for that of its source. It can be any name that Kubernetes allows in the path of a
// request. Most kinds are stricter, and the API server then rejects the copy.
//
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule="self != '.' && self != '..' && !self.contains('/') && !self.contains('%')",reason=FieldValueInvalid,message="this cannot be the name of an object: write it without \"/\" and \"%\", and not as \".\" or \"..\""
type ObjectName = string

// NameExpression is a CEL expression for the name of a copy.
//
// +kubebuilder:validation:MaxLength=1024
// +kubebuilder:validation:XValidation:rule="size(self) > 0",reason=FieldValueRequired,message="write a CEL expression for a name, such as \"'shared-' + source.metadata.name\" or \"'settings-' + target.labels['team']\""
type NameExpression = string

// NamespaceName is the name of a target namespace.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="!format.dns1123Label().validate(self).hasValue()",reason=FieldValueInvalid,message="this cannot be the name of a namespace: write lower case letters, digits and \"-\", with a letter or digit at both ends, like \"tenant-a\""
type NamespaceName = string

// copyKind returns the kind of the copies if it is another one than that of the source.
func copyKind(source SourceRef, kind string) string {
	if kind == source.Kind && source.Group == "" {
		return ""
	}
	return kind
}

func nameOr(name, fallback string) string {
	if name == "" {
		return fallback
	}
	return name
}
