package plan_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/impersonate"
	"projection.sh/operator/components/plan"
	"projection.sh/operator/components/source"
)

// TestWhatTheAccountIsToldProvesNothing has metadata confirm it: even that there is no source may be said to this account only.
func TestWhatTheAccountIsToldProvesNothing(t *testing.T) {
	account := impersonate.UserOf(&v1.ServiceAccountRef{Namespace: "tenant", Name: "writer"})
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "settings", nil)
	for name, test := range map[string]struct {
		err     error
		refused bool
	}{
		"nothing":     {nil, false},
		"forbidden":   {forbidden, true},
		"not found":   {source.ErrNotFound, true},
		"not sent":    {&apierr.UnsentError{}, true},
		"unavailable": {apierrors.NewServiceUnavailable("later"), false},
		"unknown":     {assert.AnError, false},
	} {
		assert.Equal(t, test.refused, plan.IsRefused(account, test.err), name)
		assert.False(t, plan.IsRefused(impersonate.Operator(), test.err), name)
	}
	assert.True(t, plan.IsRefused(impersonate.Operator(), &plan.Error{}), "the rule needs an account")
}
