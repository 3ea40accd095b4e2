// Package answer reads the API server's errors: what they prove, and how they may be told.
package answer

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Missing tells whether the error proves that the very object of that name does not exist. A kind or a path that is not
// served is a 404 as well, and proves nothing.
func Missing(err error, name string) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Name == name && len(details.Causes) == 0
}

// maxSentence bounds a sentence, in bytes.
const maxSentence = 400

// Sentence returns what went wrong in one bounded line that may be shown to anybody who may read the rule. The API server
// quotes values of an invalid object in its answer; of those, only the names of the fields are told.
func Sentence(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return bounded(err.Error())
	}
	details := status.Status()
	if !apierrors.IsInvalid(err) || details.Details == nil {
		return bounded(details.Message)
	}
	problems := make([]string, 0, len(details.Details.Causes))
	for _, cause := range details.Details.Causes {
		problems = append(problems, fmt.Sprintf("%s (%s)", cause.Field, cause.Type))
	}
	return bounded("the API server finds the object invalid: " + strings.Join(problems, ", "))
}

func bounded(sentence string) string {
	sentence = strings.Join(strings.Fields(sentence), " ")
	if len(sentence) <= maxSentence {
		return sentence
	}
	end := maxSentence
	for end > 0 && !utf8.RuneStart(sentence[end]) {
		end--
	}
	return sentence[:end] + "…"
}
