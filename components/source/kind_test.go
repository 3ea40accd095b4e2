package source_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"projection.sh/operator/components/source"
)

func TestMessageTellsTheVersion(t *testing.T) {
	core := source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}}
	apps := source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}}
	pinned := apps
	pinned.Pinned = true
	assert.Equal(t, "resolved ConfigMap to preferred version v1", core.Message())
	assert.Equal(t, "resolved apps/Deployment to preferred version v1", apps.Message())
	assert.Equal(t, "resolved apps/Deployment to version v1 as asked", pinned.Message())
}

func TestVerdictsAreRecognisedWhenWrapped(t *testing.T) {
	absent := fmt.Errorf("wrapped: %w", &source.RefusedError{Sentence: "no", Absent: true})
	refused := fmt.Errorf("wrapped: %w", &source.RefusedError{Sentence: "no"})
	assert.True(t, source.IsAbsent(absent))
	assert.True(t, source.IsRefused(absent))
	assert.False(t, source.IsAbsent(refused))
	assert.True(t, source.IsRefused(refused))
	for _, err := range []error{nil, source.ErrGone, fmt.Errorf("wrapped: %w", source.ErrGone)} {
		assert.False(t, source.IsAbsent(err))
		assert.False(t, source.IsRefused(err))
	}
}
