package migrate

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const replicatorPrefix = "replicator.v1.mittwald.de/"

var replicator = Tool{
	Name: "replicator",
	Kinds: []schema.GroupKind{
		configMaps, secrets, {Kind: "ServiceAccount"}, rbac("Role"), rbac("RoleBinding"),
	},
	Stop:   "Scale its Deployment to 0, and leave its annotations on the sources until then. Its copies stay.",
	Finish: "remove the annotations " + replicatorPrefix + "* from the sources",
	look:   lookOfReplicator,
}

func lookOfReplicator(object *metav1.PartialObjectMetadata) look {
	annotations := object.Annotations
	if origin, found := parseName(annotations[replicatorPrefix+"replicate-from"]); found {
		return look{isCopy: true, origin: origin}
	}
	if hasAny(annotations, replicatorPrefix+"replicated-at", replicatorPrefix+"replicated-from-version") {
		return look{isCopy: true} // a copy that its source asked for does not name it
	}
	given := &grant{}
	given.pushes.readPatterns(annotations[replicatorPrefix+"replicate-to"])
	given.pushes.readSelector(annotations[replicatorPrefix+"replicate-to-matching"])
	if isTrue(annotations, replicatorPrefix+"replication-allowed") {
		given.permits.readPatterns(annotations[replicatorPrefix+"replication-allowed-namespaces"])
	}
	if isTrue(annotations, replicatorPrefix+"replicate-once") {
		given.lost = append(given.lost, "replicator copies it once (replicate-once). "+
			"To keep the content of copies, add policy.updates: CreateOnly when the rule is ready.")
	}
	if given.pushes.isEmpty() && given.permits.isEmpty() && !hasAny(annotations, replicatorPrefix+"replicate-to", replicatorPrefix+"replicate-to-matching") {
		return look{}
	}
	return look{grant: given}
}
