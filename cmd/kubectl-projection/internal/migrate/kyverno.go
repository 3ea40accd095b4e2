package migrate

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
)

const kyvernoPrefix = "generate.kyverno.io/"

// cloneSource is the label that Kyverno puts on the sources of its copies.
const cloneSource = kyvernoPrefix + "clone-source"

var kyverno = Tool{
	Name: "Kyverno",
	Kinds: []schema.GroupKind{
		configMaps, secrets, {Kind: "LimitRange"}, {Kind: "ResourceQuota"},
		{Group: "networking.k8s.io", Kind: "NetworkPolicy"}, rbac("Role"), rbac("RoleBinding"),
	},
	Stop: "In rules with synchronize, set orphanDownstreamOnPolicyDelete: true: otherwise Kyverno deletes the copies with the policy. Then delete the policies, " +
		"or the generate rules in them.",
	Finish:         "remove the label " + cloneSource + " from the sources",
	look:           lookOfKyverno,
	policiesDecide: true,
}

func lookOfKyverno(object *metav1.PartialObjectMetadata) look {
	policy := object.Labels[kyvernoPrefix+"policy-name"]
	if policy == "" && hasAny(object.Labels, cloneSource) { // only who can write the source can let it be cloned
		return look{grant: &grant{permits: everywhere, unsaid: true}}
	}
	if policy == "" {
		return look{}
	}
	found := look{isCopy: true, madeBy: fmt.Sprintf("the rule %s of the policy %s", object.Labels[kyvernoPrefix+"rule-name"], policy)}
	namespace := object.Labels[kyvernoPrefix+"source-namespace"]
	if origin, isNamed := parseName(namespace + "/" + object.Labels[kyvernoPrefix+"source-name"]); isNamed {
		found.origin = origin
		return found
	}
	uid := types.UID(object.Labels[kyvernoPrefix+"source-uid"])
	if uid != "" && objectname.IsValid(namespace) {
		found.origin.Namespace, found.originUID = namespace, uid
	}
	return found
}
