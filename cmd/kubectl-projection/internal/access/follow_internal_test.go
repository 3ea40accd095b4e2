package access

import (
	"context"
	"errors"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestWhichRequestsMaySucceedLater(t *testing.T) {
	configmaps := schema.GroupResource{Resource: "configmaps"}
	for name, test := range map[string]struct {
		err    error
		passes bool
	}{
		"none":                        {nil, false},
		"no request":                  {errors.New("wrong"), false},
		"forbidden":                   {apierrors.NewForbidden(configmaps, "a", nil), false},
		"not found":                   {apierrors.NewNotFound(configmaps, "a"), false},
		"a wrong request":             {apierrors.NewBadRequest("wrong"), false},
		"a credential that has ended": {apierrors.NewUnauthorized("expired"), true},
		"overloaded":                  {apierrors.NewServiceUnavailable("overloaded"), true},
		"too many requests":           {apierrors.NewTooManyRequests("later", 1), true},
		"no connection":               {&url.Error{Op: "Get", Err: errors.New("connection refused")}, true},
		"too late":                    {context.DeadlineExceeded, true},
	} {
		assert.Equal(t, test.passes, MayPass(test.err), name)
	}
}
