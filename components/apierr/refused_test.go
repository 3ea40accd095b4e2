package apierr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/components/apierr"
)

func TestRefused(t *testing.T) {
	forbidden := apierrors.NewForbidden(configMaps, "settings", errors.New("no"))
	ending := apierrors.NewForbidden(configMaps, "settings", errors.New("it is being terminated"))
	ending.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	tests := map[string]struct {
		err     error
		refused bool
	}{
		"forbidden":           {forbidden, true},
		"forbidden, wrapped":  {fmt.Errorf("write: %w", forbidden), true},
		"invalid":             {apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "settings", nil), true},
		"a bad request":       {apierrors.NewBadRequest("no"), true},
		"too large":           {apierrors.NewRequestEntityTooLargeError("no"), true},
		"not offered":         {apierrors.NewMethodNotSupported(configMaps, "patch"), true},
		"no fit":              {apierrors.NewInternalError(errors.New("failed to create typed patch object (n/s; v1, Kind=S): .a: expected string")), true},
		"the namespace ends":  {ending, false},
		"not found":           {apierrors.NewNotFound(configMaps, "settings"), false},
		"unauthorized":        {apierrors.NewUnauthorized("who?"), false},
		"a conflict":          {apierrors.NewConflict(configMaps, "settings", errors.New("changed")), false},
		"too many requests":   {apierrors.NewTooManyRequests("later", 1), false},
		"an internal error":   {apierrors.NewInternalError(errors.New("no")), false},
		"unavailable":         {apierrors.NewServiceUnavailable("no"), false},
		"a gateway's timeout": {apierrors.NewGenericServerResponse(http.StatusGatewayTimeout, "patch", configMaps, "settings", "slow", 0, true), false},
		"no answer":           {context.DeadlineExceeded, false},
		"no error":            {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.refused, apierr.IsTerminal(test.err))
		})
	}
}
