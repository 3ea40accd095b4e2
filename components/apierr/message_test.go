package apierr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"projection.sh/operator/components/apierr"
)

// canary stands for the content of a Secret.
const canary = "c4n4ry"

var secret = schema.GroupKind{Kind: "Secret"}

func TestSentence(t *testing.T) {
	data, name := field.NewPath("data"), field.NewPath("metadata", "name")
	tests := map[string]struct {
		err      error
		sentence string
	}{
		"an answer": {
			apierrors.NewForbidden(configMaps, "settings", errors.New("not for you")),
			`configmaps "settings" is forbidden: not for you`,
		},
		"a wrapped answer": {
			fmt.Errorf("read the source: %w", apierrors.NewForbidden(configMaps, "settings", errors.New("not for you"))),
			`configmaps "settings" is forbidden: not for you`,
		},
		"no answer": {
			fmt.Errorf("read the source: %w", context.DeadlineExceeded),
			"the API server did not answer in time",
		},
		"an invalid object": {
			apierrors.NewInvalid(secret, "s", field.ErrorList{
				field.Invalid(data.Key("tls.crt"), canary, canary+" is bad"), field.Required(name, canary), field.NotSupported(name, canary, []string{canary}),
			}),
			"the object is invalid: data[tls.crt] (FieldValueInvalid), metadata.name (FieldValueRequired), metadata.name (FieldValueNotSupported)",
		},
		"an invalid object, wrapped": {
			fmt.Errorf("apply: %w", apierrors.NewInvalid(secret, "s", field.ErrorList{field.Invalid(data, canary, canary)})),
			"the object is invalid: data (FieldValueInvalid)",
		},
		"an applied object that does not fit its schema": {
			apierrors.NewInternalError(errors.New(`failed to create typed patch object (here/s; /v1, Kind=Secret): .data.key: expected string, got &value.valueUnstructured{Value:"` + canary + `"}`)),
			"server-side apply rejects the content of the source: .data.key: expected string",
		},
		"a list with the same key twice": {
			apierrors.NewInternalError(errors.New(`failed to create typed patch object (here/s; apps/v1, Kind=Deployment): .spec.env: duplicate entries for key [name="A"]`)),
			`server-side apply rejects the content of the source: .spec.env: duplicate entries for key [name="A"]`,
		},
		"an invalid object without causes": {
			&apierrors.StatusError{ErrStatus: metav1.Status{
				Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: canary, Details: &metav1.StatusDetails{Name: "s"},
			}},
			"the object is invalid",
		},
		"an invalid object without details": {
			&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: canary}},
			"the object is invalid",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			sentence := apierr.Message(test.err)
			assert.Equal(t, test.sentence, sentence)
			assert.NotContains(t, sentence, canary)
		})
	}
}

func TestSentenceIsOneBoundedLineOfText(t *testing.T) {
	manyFields := make(field.ErrorList, 100)
	for i := range manyFields {
		manyFields[i] = field.Invalid(field.NewPath("spec", "items").Index(i), canary, canary)
	}
	tests := map[string]error{
		"lines":               errors.New("one\ntwo\r\n\tthree\u2028four\u0085five"),
		"long":                errors.New(strings.Repeat("long ", 1000)),
		"long and wide":       errors.New(strings.Repeat("äöü€𝄞", 1000)),
		"shifted by one":      errors.New("x" + strings.Repeat("𝄞", 1000)),
		"shifted by two":      errors.New("xx" + strings.Repeat("𝄞", 1000)),
		"shifted by three":    errors.New("xxx" + strings.Repeat("𝄞", 1000)),
		"no text":             errors.New("bytes \xff\xfe and \xc3"),
		"nothing but halves":  errors.New(strings.Repeat("\x80", 1000)),
		"many invalid fields": apierrors.NewInvalid(secret, "s", manyFields),
		"a long answer":       apierrors.NewForbidden(configMaps, "settings", errors.New(strings.Repeat("no\n", 1000))),
	}
	for name, err := range tests {
		t.Run(name, func(t *testing.T) {
			sentence := apierr.Message(err)
			assert.NotEmpty(t, sentence)
			assert.LessOrEqual(t, len(sentence), 400+len("…"))
			assert.True(t, utf8.ValidString(sentence), "%q", sentence)
			assert.NotRegexp(t, `[\n\r\t\x{85}\x{2028}\x{2029}]`, sentence)
			if text := err.Error(); utf8.ValidString(text) && len(text) > 400 {
				assert.True(t, strings.HasSuffix(sentence, "…"), "a sentence that was cut says so: %q", sentence)
			}
		})
	}
}

func TestSentenceOfAShortLineIsTheLine(t *testing.T) {
	whole := strings.Repeat("a", 400)
	assert.Equal(t, whole, apierr.Message(errors.New(whole)))
}
