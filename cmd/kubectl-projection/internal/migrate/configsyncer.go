package migrate

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const syncerPrefix = "kubed.appscode.com/"

var configSyncer = Tool{
	Name:  "config-syncer",
	Kinds: []schema.GroupKind{configMaps, secrets},
	Stop: "Scale its Deployment to 0, and leave " + syncerPrefix + "sync on the sources until then: " +
		"if it is removed while config-syncer runs, config-syncer deletes the copies.",
	Finish: "remove the annotations " + syncerPrefix + "* from the sources",
	look:   lookOfConfigSyncer,
}

func lookOfConfigSyncer(object *metav1.PartialObjectMetadata) look {
	name := object.Labels[syncerPrefix+"origin.namespace"] + "/" + object.Labels[syncerPrefix+"origin.name"]
	if origin, found := parseName(name); found {
		return look{isCopy: true, origin: origin}
	}
	given := &grant{}
	if value, found := object.Annotations[syncerPrefix+"sync"]; found {
		given.pushes = syncerReach(value)
	}
	if hasAny(object.Annotations, syncerPrefix+"sync-contexts") {
		given.lost = append(given.lost, "config-syncer copies it into other clusters (sync-contexts). The operator does not: use Open Cluster Management or Karmada.")
	}
	if given.pushes.isEmpty() && len(given.lost) == 0 {
		return look{}
	}
	return look{grant: given}
}

// syncerReach returns the namespaces of a selector. Without one, these are all.
func syncerReach(value string) reach {
	if value = strings.TrimSpace(value); value == "" || value == "true" {
		return everywhere
	}
	var found reach
	found.readSelector(value)
	return found
}
