package migrate

import (
	"strconv"
	"strings"

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

	unless: "If replicator runs with --allow-all, it copies them all the same.",
}

// strict returns a pattern as replicator compiles it: of alternatives, the first has to be at the beginning of the name, and the last at its end.
func strict(text string) string {
	return "^" + strings.TrimSuffix(strings.TrimPrefix(text, "^"), "$") + "$"
}

// isYes reports whether the annotation has a value that replicator takes for true.
func isYes(annotations map[string]string, key string) bool {
	is, err := strconv.ParseBool(annotations[key])
	return err == nil && is
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
	given.pushes.readPatterns(annotations[replicatorPrefix+"replicate-to"], strict)
	given.pushes.readSelector(annotations[replicatorPrefix+"replicate-to-matching"])
	if text, found := annotations[replicatorPrefix+"replicate-to-matching"]; found && strings.TrimSpace(text) == "" {
		given.pushes.all = true // to replicator, this matches everything
	}
	if isYes(annotations, replicatorPrefix+"replication-allowed") {
		given.permits.readPatterns(annotations[replicatorPrefix+"replication-allowed-namespaces"], strict)
	}
	if isYes(annotations, replicatorPrefix+"replicate-once") {
		given.lost = append(given.lost, "replicator copies it once (replicate-once). "+
			"To keep the content of copies, add policy.updates: CreateOnly when the rule is ready.")
	}
	if given.pushes.isEmpty() && given.permits.isEmpty() && !hasAny(annotations, replicatorPrefix+"replicate-to", replicatorPrefix+"replicate-to-matching") {
		return look{}
	}
	return look{grant: given}
}
