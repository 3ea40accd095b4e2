package remotecluster

import (
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/api/v1alpha1"
)

// permitted returns the condition Permitted, which was the other one before.
func (f facts) permitted(remote *v1alpha1.RemoteCluster, before *metav1.Condition) metav1.Condition {
	condition := metav1.Condition{Type: v1alpha1.ConditionPermitted, Status: metav1.ConditionUnknown}
	found := review{}
	if f.found != nil {
		found = f.found.review
	}
	switch found.verdict {
	case allPermitted:
		condition.Status, condition.Reason = metav1.ConditionTrue, v1alpha1.ReasonPermitted
		condition.Message = "the credentials permit what the rules need there"
	case someMissing:
		condition.Status, condition.Reason = metav1.ConditionFalse, v1alpha1.ReasonPermissionsMissing
		condition.Message = fmt.Sprintf("the credentials do not permit to %s, which rules need; apply there what kubectl projection rights %s prints",
			permissionsIn(found.missing), remote.Name)
	case notReviewable:
		condition.Reason = v1alpha1.ReasonPermissionsUnknown
		condition.Message = "the credentials may not ask what they permit; rules report what they lack; permit them there to create selfsubjectaccessreviews"
	default:
		if before != nil {
			return *before
		}
		condition.Reason, condition.Message = v1alpha1.ReasonConnecting, "what the credentials permit has not been asked for yet"
	}
	return condition
}

// permissionsIn names permissions of one resource.
func permissionsIn(missing []authorizationv1.ResourceAttributes) string {
	verbs := make([]string, len(missing))
	for i, each := range missing {
		verbs[i] = each.Verb
	}
	of := missing[0]
	what := schema.GroupResource{Group: of.Group, Resource: of.Resource}.String()
	if of.Name != "" {
		what += " " + of.Name
	}
	where := " in the namespace " + of.Namespace
	if of.Namespace == "" {
		where = " in the whole cluster"
	}
	return listed(verbs) + " " + what + where
}

// listed joins words as a sentence does.
func listed(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
