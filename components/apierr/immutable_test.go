package apierr_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"projection.sh/operator/components/apierr"
)

func TestImmutable(t *testing.T) {
	path := field.NewPath("type")
	immutable := apierrors.NewInvalid(secret, "s", field.ErrorList{field.Invalid(path, canary, "field is immutable")})
	tests := map[string]struct {
		err       error
		immutable bool
	}{
		"a field":                {immutable, true},
		"a field, wrapped":       {fmt.Errorf("apply: %w", immutable), true},
		"a whole object":         {apierrors.NewInvalid(secret, "s", field.ErrorList{field.Forbidden(field.NewPath("data"), "field is immutable when `immutable` is set")}), true},
		"a role":                 {apierrors.NewInvalid(secret, "s", field.ErrorList{field.Invalid(path, canary, "cannot change roleRef")}), true},
		"a pod":                  {apierrors.NewInvalid(secret, "s", field.ErrorList{field.Forbidden(path, "pod updates may not change fields other than x")}), true},
		"a field that is wrong":  {apierrors.NewInvalid(secret, "s", field.ErrorList{field.Invalid(path, canary, "too long")}), false},
		"another refusal":        {apierrors.NewForbidden(configMaps, "s", errors.New("it is immutable")), false},
		"invalid without causes": {apierrors.NewInvalid(secret, "s", nil), false},
		"no answer":              {errors.New("immutable"), false},
		"no error":               {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.immutable, apierr.IsImmutable(test.err)) })
	}
}
