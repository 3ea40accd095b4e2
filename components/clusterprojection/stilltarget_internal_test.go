package clusterprojection

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
)

// one is a cache that holds one namespace, or fails.
type one struct {
	client.Reader
	namespace *metav1.PartialObjectMetadata
	err       error
}

func (o one) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if o.err != nil {
		return o.err
	}
	if o.namespace == nil || o.namespace.Name != key.Name {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, key.Name)
	}
	*object.(*metav1.PartialObjectMetadata) = *o.namespace
	return nil
}

func TestStillTarget(t *testing.T) {
	selects := rule("selects", v1.ClusterProjectionDestination{NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": "red"}}})
	lists := rule("lists", v1.ClusterProjectionDestination{Namespaces: []string{"tenant"}})
	tests := map[string]struct {
		rule  v1.ClusterProjection
		cache one
		still bool
	}{
		"selected":                    {selects, one{namespace: namespace("red", false)}, true},
		"no longer selected":          {selects, one{namespace: namespace("blue", false)}, false},
		"selected, and being deleted": {selects, one{namespace: namespace("red", true)}, false},
		"selected, and gone":          {selects, one{}, false},
		"listed":                      {lists, one{namespace: namespace("", false)}, true},
		"listed, and being deleted":   {lists, one{namespace: namespace("", true)}, false},
		"listed, and gone":            {lists, one{}, false},
		"the cache does not answer":   {selects, one{err: assert.AnError}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			still := NewNamespaces(test.cache, nil, nil, nil).StillTarget(t.Context(), &test.rule)
			assert.Equal(t, test.still, still("tenant"))
		})
	}
}
