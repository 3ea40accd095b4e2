package forecast

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/plan"
)

// explainNotTarget says why the namespace, which is none of the targets, is none. Nil: the namespace does not exist.
func explainNotTarget(
	rule *v1.ClusterProjection, name string, namespace *metav1.PartialObjectMetadata, settings access.Settings, copies plan.Copies,
) Verdict {
	not := func(reason, message, next string) Verdict {
		return Verdict{State: NotTarget, Reason: reason, Message: message, Next: next}
	}
	destination := rule.Spec.Destination
	selector, err := metav1.LabelSelectorAsSelector(destination.NamespaceSelector.LabelSelector())
	switch {
	case destination.NamespaceSelector == nil:
		return not(ReasonNotListed, "spec.destination.namespaces does not list the namespace "+name, "add it to the list")
	case namespace == nil:
		return not(ReasonNamespaceNotFound, "there is no namespace "+name, "")
	case namespace.DeletionTimestamp != nil:
		return not(ReasonNamespaceTerminating, "the namespace "+name+" is being deleted", "")
	case slices.Contains(settings.Excluded, name):
		verdict := not(ReasonNamespaceExcluded, excludedMessage(name, settings), "list it in spec.destination.namespaces of another rule")
		if !settings.Known {
			verdict.State = Unknown
		}
		return verdict
	case err != nil:
		return not(ReasonNotSelected, err.Error(), "correct spec.destination.namespaceSelector")
	case !selector.Matches(labels.Set(namespace.Labels)):
		message, next := unmatched(selector, namespace)
		return not(ReasonNotSelected, message, next)
	case copies.Skipped > 0:
		return not(v1.ReasonDestinationNotPermitted, copies.Refusal, "")
	default:
		return not(ReasonPlaceOfSource, "the place of the copy would be that of the source, or of a layer", "set destination.name")
	}
}

func excludedMessage(name string, settings access.Settings) string {
	message := "the operator excludes the namespace " + name + " from selectors"
	if !settings.Known {
		message += ", unless its settings, which you may not read, say otherwise"
	}
	return message
}

// unmatched says which requirements of the selector the namespace does not meet, and how to label it if there is one way.
func unmatched(selector labels.Selector, namespace *metav1.PartialObjectMetadata) (message, next string) {
	requirements, _ := selector.Requirements()
	var failed []string
	for _, requirement := range requirements {
		if requirement.Matches(labels.Set(namespace.Labels)) {
			continue
		}
		has := "has no label " + requirement.Key()
		if value, found := namespace.Labels[requirement.Key()]; found {
			has = fmt.Sprintf("has %s=%s", requirement.Key(), value)
		}
		failed = append(failed, fmt.Sprintf("%s (the namespace %s)", requirement.String(), has))
		next = labelling(namespace, requirement)
	}
	if len(failed) != 1 {
		next = ""
	}
	return "spec.destination.namespaceSelector does not match: " + strings.Join(failed, ", "), next
}

// labelling returns the command by which the namespace meets the requirement, if there is one way.
func labelling(namespace *metav1.PartialObjectMetadata, requirement labels.Requirement) string {
	values := requirement.Values().List()
	isOneValue := (requirement.Operator() == selection.In || requirement.Operator() == selection.Equals) && len(values) == 1
	if !isOneValue {
		return ""
	}
	command := fmt.Sprintf("kubectl label namespace %s %s=%s", namespace.Name, requirement.Key(), values[0])
	if _, found := namespace.Labels[requirement.Key()]; found {
		command += " --overwrite"
	}
	return command
}
