package source_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

func TestMessageNamesTheSourceAndItsVersion(t *testing.T) {
	ref := v1.SourceRef{Namespace: "platform", Name: "app"}
	core := source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
	apps := source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}}
	pinned := apps
	pinned.Pinned = true
	assert.Equal(t, "found ConfigMap platform/app in preferred version v1; it may be copied", core.Found(ref))
	assert.Equal(t, "found Deployment platform/app in preferred version apps/v1; it may be copied", apps.Found(ref))
	assert.Equal(t, "found Deployment platform/app in pinned version apps/v1; it may be copied", pinned.Found(ref))
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
