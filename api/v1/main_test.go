package v1_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

var cluster *env.Environment

func TestMain(m *testing.M) { os.Exit(env.Main(m, &cluster, env.WithCRDs(env.CRDs()))) }

// resources are the names of our kinds in paths.
var resources = map[string]string{
	v1.KindProjection:        "projections",
	v1.KindClusterProjection: "clusterprojections",
}

// rules is a client of one of our kinds; a Projection lives in the namespace "default".
func rules(kind string) dynamic.ResourceInterface {
	client := dynamic.NewForConfigOrDie(cluster.Config).Resource(v1.GroupVersion.WithResource(resources[kind]))
	if kind == v1.KindProjection {
		return client.Namespace("default")
	}
	return client
}

func rule(kind, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetGroupVersionKind(v1.GroupVersion.WithKind(kind))
	u.SetName(name)
	return u
}

// create makes a rule with a status, and removes it when the test ends.
func create(t *testing.T, kind, name, spec string, status map[string]any) *unstructured.Unstructured {
	t.Helper()
	created, err := rules(kind).Create(t.Context(), rule(kind, name, parse(t, spec)), metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, rules(kind).Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}))
	})
	if status == nil {
		return created
	}
	created.Object["status"] = status
	created, err = rules(kind).UpdateStatus(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err)
	return created
}
