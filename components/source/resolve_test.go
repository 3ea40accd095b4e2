package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/source"
)

func TestResolve(t *testing.T) {
	tests := map[string]struct {
		ref  v1.SourceRef
		kind source.Kind
	}{
		"the core group": {
			v1.SourceRef{Kind: "ConfigMap"},
			source.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"},
		},
		"another group": {
			v1.SourceRef{Group: "apps", Kind: "Deployment"},
			source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, Resource: "deployments"},
		},
		"an irregular plural": {
			v1.SourceRef{Group: "networking.k8s.io", Kind: "NetworkPolicy"},
			source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"}, Resource: "networkpolicies"},
		},
		"the preferred of several versions": {
			v1.SourceRef{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"},
			source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, Resource: "horizontalpodautoscalers"},
		},
		"a pinned version": {
			v1.SourceRef{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"},
			source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "HorizontalPodAutoscaler"}, Resource: "horizontalpodautoscalers", Pinned: true},
		},
		"one of two groups with the kind": {
			v1.SourceRef{Group: "events.k8s.io", Kind: "Event"},
			source.Kind{GroupVersionKind: schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"}, Resource: "events"},
		},
	}
	resolver := newResolver(t, cluster.Config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			kind, err := resolver.Resolve(t.Context(), test.ref)
			require.NoError(t, err)
			assert.Equal(t, test.kind, kind)
		})
	}
}

func TestResolveKindPrefersAVersion(t *testing.T) {
	kind, err := newResolver(t, cluster.Config).ResolveKind(t.Context(), schema.GroupKind{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"})
	require.NoError(t, err)
	assert.Equal(t, schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}, kind.GroupVersionResource())
	assert.False(t, kind.Pinned)
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		ref      v1.SourceRef
		sentence string
		absent   bool
	}{
		"unknown group": {
			v1.SourceRef{Group: "nobody.example.com", Kind: "Widget"},
			`the API server does not serve the group "nobody.example.com"; check source.group, or install what provides it`, true,
		},
		"unknown version": {
			v1.SourceRef{Group: "apps", Version: "v9", Kind: "Deployment"},
			`the API server does not serve version "v9" of the group "apps", but v1; correct source.version, or remove it`, false,
		},
		"unknown kind": {
			v1.SourceRef{Group: "apps", Kind: "Deploiment"},
			`the API server serves no kind "Deploiment" in the group "apps"; did you mean source.kind: Deployment?`, true,
		},
		"a kind that the pinned version lacks": {
			v1.SourceRef{Group: "autoscaling", Version: "v2", Kind: "Scale"},
			`the API server serves no kind "Scale" in version v2 of the group "autoscaling"; check source.kind, or install what provides it`, false,
		},
		"the plural instead of the kind": {
			v1.SourceRef{Kind: "configmaps"},
			`the API server serves no kind "configmaps" in the core group; did you mean source.kind: ConfigMap?`, true,
		},
		"the kind of a subresource": {
			v1.SourceRef{Group: "apps", Kind: "Scale"},
			`the API server serves no kind "Scale" in the group "apps"; check source.kind, or install what provides it`, true,
		},
		"a cluster-scoped kind": {
			v1.SourceRef{Kind: "Namespace"},
			`Namespace is cluster-scoped, and only namespaced objects can be copied; choose a namespaced kind`, true,
		},
		"an Event of the core group": {
			v1.SourceRef{Kind: "Event"},
			`an Event of the core group is about an object in its own namespace, so it cannot be copied; set source.group to events.k8s.io if the Event is about an object elsewhere`, false,
		},
		"a kind that can only be created": {
			v1.SourceRef{Group: "authorization.k8s.io", Kind: "LocalSubjectAccessReview"},
			`LocalSubjectAccessReview cannot be copied, because the API server does not support get on it; choose another kind`, false,
		},
	}
	resolver := newResolver(t, cluster.Config)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			kind, err := resolver.Resolve(t.Context(), test.ref)
			require.EqualError(t, err, test.sentence)
			assert.Zero(t, kind)
			assert.True(t, source.IsKindError(err))
			assert.Equal(t, test.absent, source.IsNotServed(err))
		})
	}
}
