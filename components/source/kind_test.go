package source_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/components/source"
)

func TestMessageSaysTheVersion(t *testing.T) {
	core := source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
	apps := source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}}
	pinned := apps
	pinned.Pinned = true
	assert.Equal(t, "resolved ConfigMap to preferred version v1", core.Message())
	assert.Equal(t, "resolved apps/Deployment to preferred version v1", apps.Message())
	assert.Equal(t, "resolved apps/Deployment to version v1 as asked", pinned.Message())
}

func TestKindErrorsAreRecognisedWhenWrapped(t *testing.T) {
	absent := fmt.Errorf("wrapped: %w", &source.KindError{Message: "no", NotServed: true})
	refused := fmt.Errorf("wrapped: %w", &source.KindError{Message: "no"})
	assert.True(t, source.IsNotServed(absent))
	assert.True(t, source.IsKindError(absent))
	assert.False(t, source.IsNotServed(refused))
	assert.True(t, source.IsKindError(refused))
	for _, err := range []error{nil, source.ErrNotFound, fmt.Errorf("wrapped: %w", source.ErrNotFound)} {
		assert.False(t, source.IsNotServed(err))
		assert.False(t, source.IsKindError(err))
	}
}
