package apierr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"projection.sh/operator/components/apierr"
)

var secrets = schema.GroupResource{Resource: "secrets"}

// said is an answer of the API server.
func said(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}

// redactedMessage is what is told of an error of a request about a Secret.
func redactedMessage(err error) string { return apierr.Message(apierr.Redact(secrets, err)) }

func TestRedactedMessage(t *testing.T) {
	const policy = `secrets "s" is forbidden: ValidatingAdmissionPolicy 'no-canaries' with binding 'here' denied request: ` + canary
	const rights = `secrets "s" is forbidden: User "system:serviceaccount:a:b" cannot patch resource "secrets" in API group "" in the namespace "n"`
	const quota = `secrets "s" is forbidden: exceeded quota: few.secrets, requested: count/secrets=1,secrets=1, used: secrets=1, limited: secrets=1`
	const notRepeated = `; details withheld: they may quote the Secret`
	const impersonation = `serviceaccounts "writer" is forbidden: User "system:serviceaccount:a:b" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "n"`
	const constrained = `selfsubjectreviews.authentication.k8s.io is forbidden: User "op" cannot impersonate-on:serviceaccount:create ` +
		`resource "selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope`
	tests := map[string]struct {
		err      error
		sentence string
	}{
		"impersonation": {said(http.StatusForbidden, metav1.StatusReasonForbidden, impersonation+": "+canary), `User "system:serviceaccount:a:b" is not allowed to impersonate the service account`},
		"impersonation of a user": {
			said(http.StatusForbidden, metav1.StatusReasonForbidden, `users "platform" is forbidden: User "op" cannot impersonate resource "users" in API group ""`+canary),
			`User "op" is not allowed to impersonate the user`,
		},
		"constrained impersonation": {said(http.StatusForbidden, metav1.StatusReasonForbidden, constrained+": "+canary), `User "op" is not allowed to impersonate the service account`},
		"a request that was not sent": {
			&url.Error{Op: "Get", URL: canary, Err: &apierr.UnsentError{Message: "a proxy removes a header"}}, "a proxy removes a header",
		},
		"a policy": {
			said(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, policy),
			`ValidatingAdmissionPolicy 'no-canaries' denies the request` + notRepeated,
		},
		"a policy with another reason": {
			fmt.Errorf("apply: %w", said(http.StatusForbidden, metav1.StatusReasonForbidden, policy)),
			`ValidatingAdmissionPolicy 'no-canaries' denies the request` + notRepeated,
		},
		"a webhook": {
			said(http.StatusBadRequest, canary, `admission webhook "gate.example.com" denied the request: `+canary),
			`admission webhook "gate.example.com" denies the request` + notRepeated,
		},
		"keys that are not valid": {
			apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "s", field.ErrorList{
				field.Invalid(field.NewPath("data").Key(canary), canary, canary), field.Invalid(field.NewPath("data", canary), canary, canary),
				field.Required(field.NewPath("data").Key("tls.crt"), ""), field.Invalid(field.NewPath("metadata", "labels"), canary, canary),
			}),
			"the object is invalid: data (FieldValueInvalid), data (FieldValueInvalid), data[tls.crt] (FieldValueRequired), metadata.labels (FieldValueInvalid)",
		},
		"a webhook that names fields": {
			&apierrors.StatusError{ErrStatus: metav1.Status{
				Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: `admission webhook "gate.example.com" denied the request: no`,
				Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: canary, Type: canary, Message: canary}}},
			}},
			`admission webhook "gate.example.com" denies the request` + notRepeated,
		},
		"a webhook that does not answer": {
			said(http.StatusInternalServerError, metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "gate.example.com": `+canary),
			`webhook "gate.example.com" denies the request` + notRepeated,
		},
		"an invalid value": {
			apierrors.NewInvalid(secret, "s", field.ErrorList{field.Invalid(field.NewPath("type"), canary, canary)}),
			"the object is invalid: type (FieldValueInvalid)",
		},
		"a cause without a field": {
			&apierrors.StatusError{ErrStatus: metav1.Status{
				Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: canary,
				Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: canary}}},
			}},
			"the object is invalid",
		},
		"rights":                       {said(http.StatusForbidden, metav1.StatusReasonForbidden, rights), rights},
		"rights, as a webhook sees it": {said(http.StatusForbidden, metav1.StatusReasonForbidden, rights+": "+canary), rights},
		"a quota":                      {said(http.StatusForbidden, metav1.StatusReasonForbidden, quota), quota},
		"the namespace is not there":   {apierrors.NewNotFound(namespaces, "n"), `namespaces "n" not found`},
		"the Secret is not there":      {apierrors.NewNotFound(secrets, "s"), `secrets "s" not found`},
		"another plugin": {
			said(http.StatusForbidden, metav1.StatusReasonForbidden, `secrets "s" is forbidden: `+canary),
			"the API server refuses the request with code 403" + notRepeated,
		},
		"a decoder": {
			said(http.StatusBadRequest, metav1.StatusReasonBadRequest, `json: cannot unmarshal number `+canary+` into Go struct field Secret.data`),
			"the API server refuses the request with code 400" + notRepeated,
		},
		"the schema": {
			apierrors.NewInternalError(errors.New(`failed to create typed patch object (n/s; /v1, Kind=Secret): .data.key: expected string, got &value{"` + canary + `"}`)),
			"the content does not fit the schema of its kind",
		},
		"a conflict":        {apierrors.NewConflict(secrets, "s", errors.New(canary)), "another writer changed the object during the write"},
		"too large":         {apierrors.NewRequestEntityTooLargeError(canary), "the request is too large for the API server"},
		"too many requests": {apierrors.NewTooManyRequests(canary, 1), "the API server has too many requests"},
		"too slow":          {apierrors.NewTimeoutError(canary, 1), "the API server is not available, or too slow"},
		"unavailable":       {apierrors.NewServiceUnavailable(canary), "the API server is not available, or too slow"},
		"no answer":         {fmt.Errorf("apply: %w", context.DeadlineExceeded), "the API server did not answer in time"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			sentence := redactedMessage(test.err)
			assert.Equal(t, test.sentence, sentence)
			assert.NotContains(t, sentence, canary)
		})
	}
}

func TestSentenceRepeatsWhatAPolicySays(t *testing.T) {
	const message = `configmaps "settings" is forbidden: ValidatingAdmissionPolicy 'colors' with binding 'here' denied request: write red, not blue`
	refusal := said(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, message)
	assert.Equal(t, message, apierr.Message(refusal), "its author wrote it for people")
	assert.True(t, apierr.IsDenied(refusal), "whatever its reason")
	assert.False(t, apierr.IsDenied(said(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "data: Invalid value")))
	assert.False(t, apierr.IsDenied(nil))
}
