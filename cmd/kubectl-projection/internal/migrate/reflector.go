package migrate

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const reflectorPrefix = "reflector.v1.k8s.emberstack.com/"

var reflector = Tool{
	Name:   "reflector",
	Kinds:  []schema.GroupKind{configMaps, secrets},
	Stop:   scaleDown,
	Finish: "remove the annotations " + reflectorPrefix + "* from the sources",
	look:   lookOfReflector,
}

func lookOfReflector(object *metav1.PartialObjectMetadata) look {
	annotations := object.Annotations
	if origin, found := parseName(annotations[reflectorPrefix+"reflects"]); found {
		return look{isCopy: true, origin: origin}
	}
	if !isTrue(annotations, reflectorPrefix+"reflection-allowed") {
		return look{}
	}
	given := &grant{permits: reflectorReach(annotations, "reflection-allowed-namespaces"), within: true}
	if !isTrue(annotations, reflectorPrefix+"reflection-auto-enabled") {
		return look{grant: given}
	}
	given.pushes = reflectorReach(annotations, "reflection-auto-namespaces")
	switch {
	case given.pushes.all:
		given.pushes = given.permits
	case !given.permits.all && given.permits.String() != given.pushes.String():
		given.pushes.narrowed = true
	}
	return look{grant: given}
}

// reflectorReach returns the namespaces of a list of patterns and of a selector. If both are absent or empty, these are all.
func reflectorReach(annotations map[string]string, key string) reach {
	patterns, selector := annotations[reflectorPrefix+key], annotations[reflectorPrefix+key+"-selector"]
	if patterns == "" && selector == "" {
		return everywhere
	}
	var found reach
	found.readPatterns(patterns, whole)
	found.readSelector(selector)
	return found
}
