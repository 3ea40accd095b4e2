package apierr_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/components/apierr"
)

var (
	configMaps = schema.GroupResource{Resource: "configmaps"}
	namespaces = schema.GroupResource{Resource: "namespaces"}
)

func TestMissing(t *testing.T) {
	// What client-go makes of "404 page not found".
	notServed := apierrors.NewGenericServerResponse(http.StatusNotFound, "get", configMaps, "settings", "404 page not found", 0, true)
	tests := map[string]struct {
		err     error
		missing bool
	}{
		"the object":                  {apierrors.NewNotFound(configMaps, "settings"), true},
		"the object, wrapped":         {fmt.Errorf("read: %w", apierrors.NewNotFound(configMaps, "settings")), true},
		"the object, among others":    {errors.Join(errors.New("noise"), apierrors.NewNotFound(configMaps, "settings")), true},
		"another object":              {apierrors.NewNotFound(configMaps, "other"), false},
		"the namespace":               {apierrors.NewNotFound(namespaces, "home"), false},
		"the kind":                    {notServed, false},
		"the kind, wrapped":           {fmt.Errorf("read: %w", notServed), false},
		"no details":                  {&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}}, false},
		"a code without a reason":     {&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusNotFound}}, false},
		"an expired resourceVersion":  {apierrors.NewResourceExpired("too old"), false},
		"forbidden":                   {apierrors.NewForbidden(configMaps, "settings", errors.New("no")), false},
		"unauthorized":                {apierrors.NewUnauthorized("who?"), false},
		"a conflict":                  {apierrors.NewConflict(configMaps, "settings", errors.New("changed")), false},
		"too many requests":           {apierrors.NewTooManyRequests("later", 1), false},
		"an internal error":           {apierrors.NewInternalError(errors.New("settings not found")), false},
		"unavailable":                 {apierrors.NewServiceUnavailable("not found"), false},
		"a timeout":                   {apierrors.NewTimeoutError("slow", 1), false},
		"no answer":                   {context.DeadlineExceeded, false},
		"an error that only says so":  {errors.New(`configmaps "settings" not found`), false},
		"no error":                    {nil, false},
		"a path that nobody can name": {apierrors.NewNotFound(configMaps, ""), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.missing, apierr.IsObjectNotFound(test.err, "settings"))
		})
	}
}
