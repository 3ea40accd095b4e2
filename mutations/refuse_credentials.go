package mutations

import (
	"slices"

	uns "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/unstructured"
)

// TypeServiceAccountToken is the type of Secrets that a controller fills with a token of a ServiceAccount of their namespace.
const TypeServiceAccountToken = "kubernetes.io/service-account-token" //nolint:gosec // the name of a type

// credentials are types of Secrets that identify somebody to the API server.
var credentials = []string{TypeServiceAccountToken, "bootstrap.kubernetes.io/token"}

// IsCredential reports whether the object is a Secret that identifies somebody to the API server. A copy would be a second identity.
func IsCredential(object *uns.Unstructured) bool {
	return isCredential(object.GroupVersionKind().GroupKind(), object.Object)
}

func isCredential(kind schema.GroupKind, content map[string]any) bool {
	return kind == secret && slices.Contains(credentials, text(content, "type"))
}

// refuseCredentials refuses a copy that would be a credential, whatever made it one.
func refuseCredentials(in Input) unstructured.Mutation {
	kind := in.KindOfCopies()
	return mutation(RefuseCredentials, feature.NewBooleanGate(kind == secret), func(content map[string]any) error {
		return checkCredential(kind, content)
	})
}

func checkCredential(kind schema.GroupKind, content map[string]any) error {
	if isCredential(kind, content) {
		return sourceError("a Secret of type %s is a credential of its namespace, and is never copied", text(content, "type"))
	}
	return nil
}
