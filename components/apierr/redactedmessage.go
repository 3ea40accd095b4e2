package apierr

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// omitted stands for the part of an answer that may quote a Secret.
const omitted = "details withheld: they may quote the Secret"

// IsWithheld reports whether the message leaves out what the API server said.
func IsWithheld(message string) bool { return strings.Contains(message, omitted) }

// IsDenied reports whether a policy or a webhook has denied the request, with whatever reason.
func IsDenied(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && deniedBy(status.Status().Message) != ""
}

// impersonation matches the beginning of the answer that the API server gives to who may not impersonate a service account or a user.
var impersonation = regexp.MustCompile(`^[a-z]+(\.[a-z0-9.]+)? (?:"[^"]*" )?is forbidden: User "([^"]*)" cannot (impersonate[-:a-z]*) resource "([a-z]*)`)

// impersonationMessage words that answer, which names another missing permission each time; empty if it is another answer.
func impersonationMessage(err error) string {
	var status apierrors.APIStatus
	if !apierrors.IsForbidden(err) || !errors.As(err, &status) {
		return ""
	}
	said := impersonation.FindStringSubmatch(status.Status().Message)
	if said == nil {
		return ""
	}
	operator, verb, resource := said[2], said[3], said[4]
	whom := "the service account"
	if resource == "users" || strings.Contains(verb, ":user-info") {
		whom = "the user"
	}
	return fmt.Sprintf("User %q is not allowed to impersonate %s", operator, whom)
}

// safeMessages match the beginnings of answers that the API server builds from names and numbers. What follows may be the words of a
// policy or a webhook.
var safeMessages = []*regexp.Regexp{
	regexp.MustCompile(`^(?:secrets|configmaps) "[^"]*" is forbidden: User "[^"]*" cannot [a-z]+ resource "[a-z/]+" in API group "" in the namespace "[^"]*"`),
	regexp.MustCompile(`^(?:secrets|configmaps) is forbidden: User "[^"]*" cannot [a-z]+ resource "[a-z]+" in API group "" at the cluster scope`),
	regexp.MustCompile(`^(?:secrets|configmaps) "[^"]*" is forbidden: exceeded quota: [-a-z0-9.]+(, (requested|used|limited): [-\w./=]+(,[-\w./=]+)*)+`),
	regexp.MustCompile(`^namespaces "[^"]*" not found`),
	regexp.MustCompile(`^(?:secrets|configmaps) "[^"]*" not found`),
	regexp.MustCompile(`^the server could not find the requested resource`),
	regexp.MustCompile(`^Unauthorized$`),
}

// redactedMessage is Sentence for requests about a Secret, and what a Veil shows. Whoever refuses a request may quote what it
// holds: policies and webhooks say whatever their authors made them say. So nothing is repeated but what the API server
// is known to put together from names and numbers.
func redactedMessage(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return truncate(transportMessage(err))
	}
	if apierrors.IsConflict(err) || IsImpersonationForbidden(err) {
		return Message(err)
	}
	said := status.Status()
	if who := deniedBy(said.Message); who != "" {
		return truncate(who + " denies the request; " + omitted)
	}
	switch {
	case apierrors.IsInvalid(err):
		return truncate(redactedInvalid(said.Details))
	case apierrors.IsRequestEntityTooLargeError(err):
		return "the request is too large for the API server"
	case apierrors.IsTooManyRequests(err):
		return "the API server has too many requests"
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsServiceUnavailable(err):
		return "the API server is not available, or too slow"
	case schemaMismatch(err) != "":
		return "the content does not fit the schema of its kind"
	}
	for _, wording := range safeMessages {
		if known := wording.FindString(said.Message); known != "" {
			return truncate(known)
		}
	}
	return fmt.Sprintf("the API server refuses the request with code %d; %s", said.Code, omitted)
}

// denials are how the API server introduces the words of policies and webhooks. What they match names one of them.
var denials = []*regexp.Regexp{
	regexp.MustCompile(`^[-a-z0-9.]+ (?:"[^"]*" )?is forbidden: ` +
		`((?:Validating|Mutating)AdmissionPolicy '[-a-z0-9.:]+')(?: with binding '[-a-z0-9.:]+')? denied request`),
	regexp.MustCompile(`^(admission webhook "[-a-z0-9.]+") denied the request`),
	regexp.MustCompile(`^Internal error occurred: failed calling (webhook "[-a-z0-9.]+")`),
}

// deniedBy returns the policy or webhook whose words the message holds; empty if it is the API server's own.
func deniedBy(message string) string {
	for _, introduction := range denials {
		if found := introduction.FindStringSubmatch(message); found != nil {
			return found[1]
		}
	}
	return ""
}

// redactedInvalid is invalidMessage about an object that holds what a Secret holds. A key can be content of it, too, unless it is one that
// the object lacks.
//
// Example: a webhook adds a key to the copy that it makes of a value.
func redactedInvalid(details *metav1.StatusDetails) string {
	if details == nil {
		return invalidMessage(nil)
	}
	details = details.DeepCopy()
	for i := range details.Causes {
		for _, field := range []string{"data", "binaryData", "stringData"} {
			lacks := details.Causes[i].Type == metav1.CauseTypeFieldValueRequired
			if !lacks && (strings.HasPrefix(details.Causes[i].Field, field+"[") || strings.HasPrefix(details.Causes[i].Field, field+".")) {
				details.Causes[i].Field = field
			}
		}
	}
	return invalidMessage(details)
}

// invalidMessage words an answer that the object is invalid: the names of fields, and none of their values.
func invalidMessage(details *metav1.StatusDetails) string {
	sentence := "the object is invalid"
	if details == nil {
		return sentence
	}
	var problems []string
	for _, cause := range details.Causes {
		if cause.Field != "" {
			problems = append(problems, fmt.Sprintf("%s (%s)", cause.Field, cause.Type))
		}
	}
	if len(problems) == 0 {
		return sentence
	}
	return sentence + ": " + strings.Join(problems, ", ")
}
