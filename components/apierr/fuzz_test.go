package apierr_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/components/apierr"
)

// longestSentence is the bound on a sentence, in bytes.
const longestSentence = 400 + len("…")

// FuzzSentence words any answer: no panic, one line of text, never longer than the bound.
func FuzzSentence(f *testing.F) {
	for _, reason := range []metav1.StatusReason{"", "Invalid", "Forbidden", "NotFound", "InternalError", "BadRequest", "Conflict", "made up"} {
		f.Add(int32(422), string(reason), "words\nand\x00more", "data[key]", "FieldValueInvalid", true)
		f.Add(int32(500), string(reason), `failed to create typed patch object (n/s; /v1, Kind=Secret): .data: expected string, got &value{"x"}`, "", "", false)
	}
	f.Fuzz(func(t *testing.T, code int32, reason, message, field, kind string, detailed bool) {
		status := metav1.Status{Code: code, Reason: metav1.StatusReason(reason), Message: message}
		if detailed {
			status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: field, Type: metav1.CauseType(kind), Message: message}}}
		}
		err := fmt.Errorf("apply: %w", &apierrors.StatusError{ErrStatus: status})
		for _, sentence := range []string{apierr.Message(err), redactedMessage(err)} {
			require.LessOrEqual(t, len(sentence), longestSentence)
			require.True(t, utf8.ValidString(sentence))
			require.NotContains(t, sentence, "\n")
		}
		require.Equal(t, apierr.IsTerminal(err), apierr.IsTerminal(fmt.Errorf("again: %w", err)))
		if apierr.IsImmutable(err) {
			require.True(t, apierr.IsTerminal(err))
		}
	})
}

// FuzzRedactedMessage adds any words to an answer about a Secret: they are not repeated.
func FuzzRedactedMessage(f *testing.F) {
	beginnings := []string{
		`secrets "s" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: `,
		`secrets "s" is forbidden: ValidatingAdmissionPolicy 'p' denied request: `,
		`admission webhook "gate.example.com" denied the request: `,
		`Internal error occurred: failed calling webhook "gate.example.com": `,
		`secrets "s" is forbidden: User "u" cannot patch resource "secrets" in API group "" in the namespace "n": `,
		`secrets "s" is forbidden: exceeded quota: q, requested: secrets=1, used: secrets=1, limited: secrets=1 `,
		`secrets "s" is forbidden: `, `Secret in version "v1" cannot be handled as a Secret: `, `Secret "s" is invalid: `, ``,
	}
	for i := range beginnings {
		f.Add(uint8(i), int32(403), canary)
		f.Add(uint8(i), int32(422), strings.Repeat(canary+"\n", 100))
	}
	f.Fuzz(func(t *testing.T, beginning uint8, code int32, words string) {
		begin := beginnings[int(beginning)%len(beginnings)]
		if begin == "" && words != "" {
			words = "~" + words // not one of the beginnings
		}
		for _, reason := range []metav1.StatusReason{metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonBadRequest} {
			require.Equal(t, redactedMessage(said(code, reason, begin)), redactedMessage(said(code, reason, begin+words)))
		}
	})
}

// FuzzRedact lets the client's decoder read any answer to a request for a Secret: what it says of it is not repeated.
func FuzzRedact(f *testing.F) {
	for _, body := range []string{
		`{"data":{"key":"` + canary + `"}}`, `{"kind":"Secret","data":{"key":"` + canary, `{"kind":7,"` + canary + `":[}`, canary, ``,
		`{"apiVersion":"` + canary + `"}`, `{"kind":"List","items":["` + canary + `"]}`, `{"kind":"Secret","items":[{"data":"` + canary + `"}]}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		_, _, err := unstructured.UnstructuredJSONScheme.Decode([]byte(body), nil, nil)
		if err == nil {
			return
		}
		for _, err := range []error{err, fmt.Errorf("unable to decode the answer: %w", err), fmt.Errorf("%s: %v", body, err)} { //nolint:errorlint // as the client does
			require.EqualError(t, apierr.Redact(secrets, err), unreadable)
			require.Equal(t, unreadable, apierr.Message(fmt.Errorf("read the source: %w", apierr.Redact(secrets, err))))
		}
	})
}
