package health

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Verdict is what the status of an object says.
type Verdict struct {
	Healthy bool
	// Reason says why the object is not healthy. It quotes no value of the object but counts, and the types and reasons of its conditions.
	Reason string
}

func healthy() Verdict { return Verdict{Healthy: true} }

func unhealthy(format string, args ...any) Verdict {
	return Verdict{Reason: fmt.Sprintf(format, args...)}
}

// withoutStatus are the kinds of Kubernetes that have no status, by their API group. An object of these is healthy once it is written.
var withoutStatus = map[string]sets.Set[string]{
	"":                          sets.New("ConfigMap", "Secret", "ServiceAccount", "Endpoints", "LimitRange", "PodTemplate"),
	"rbac.authorization.k8s.io": sets.New("Role", "RoleBinding"),
	"networking.k8s.io":         sets.New("NetworkPolicy"),
	"discovery.k8s.io":          sets.New("EndpointSlice"),
	"coordination.k8s.io":       sets.New("Lease"),
}

// HasStatus reports whether objects of the kind may have a status. That of an object of another kind need not be read.
func HasStatus(kind schema.GroupKind) bool { return !withoutStatus[kind.Group].Has(kind.Kind) }

// Of returns what the status of the object says: first what all objects have in common, then what its kind says, and otherwise its condition
// Ready. An object that says nothing is healthy.
func Of(object *unstructured.Unstructured) Verdict {
	if verdict, found := ofAnyKind(object); found {
		return verdict
	}
	if judge, found := byKind[object.GroupVersionKind().GroupKind()]; found {
		return judge(object)
	}
	ready, found := conditionsOf(object)["Ready"]
	if !found || ready.status == metav1.ConditionTrue {
		return healthy()
	}
	return ready.verdict("Ready")
}

// ofAnyKind returns that an object is not healthy which is being deleted, whose controller has not seen its newest spec, or which has one
// of the conditions of kstatus.
func ofAnyKind(object *unstructured.Unstructured) (Verdict, bool) {
	if object.GetDeletionTimestamp() != nil {
		return unhealthy("it is being deleted"), true
	}
	observed, found, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	if err == nil && found && observed != object.GetGeneration() {
		return unhealthy("its controller has not seen its newest spec"), true
	}
	conditions := conditionsOf(object)
	for _, conditionType := range []string{"Stalled", "Reconciling"} {
		if condition := conditions[conditionType]; condition.status == metav1.ConditionTrue {
			return condition.verdict(conditionType), true
		}
	}
	return Verdict{}, false
}
