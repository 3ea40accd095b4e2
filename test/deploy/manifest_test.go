package deploy_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"projection.sh/operator/test/env"
)

const (
	release   = "projection"
	namespace = "projection-system"
)

// template renders the chart with the values, the later ones over the earlier ones.
func template(t *testing.T, values ...string) (string, error) {
	t.Helper()
	args := []string{"template", release, env.Chart(), "--namespace", namespace}
	dir := t.TempDir()
	for i, content := range values {
		file := filepath.Join(dir, strconv.Itoa(i)+".yaml")
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
		args = append(args, "--values", file)
	}
	return cluster.Helm(t.Context(), args...)
}

func mustTemplate(t *testing.T, values ...string) string {
	t.Helper()
	manifest, err := template(t, values...)
	require.NoError(t, err)
	return manifest
}

// objects parses a manifest of many.
func objects(t *testing.T, manifest string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(manifest), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
}

// the returns the object of the manifest that has the kind and name.
func the[T any](t *testing.T, manifest, kind, name string) *T {
	t.Helper()
	for _, object := range objects(t, manifest) {
		if object.GetKind() == kind && object.GetName() == name {
			typed := new(T)
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true))
			return typed
		}
	}
	require.FailNowf(t, "an object is missing", "there is no %s %s in:\n%s", kind, name, manifest)
	return nil
}

// createNamespace sees to it that there is the namespace, which enforces the strictest Pod Security Standard.
func createNamespace(t *testing.T, name string) {
	t.Helper()
	_, err := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
}

// createAccount sees to it that there is the service account: without it, the API server takes no pod, even on trial.
func createAccount(t *testing.T, namespace, name string) {
	t.Helper()
	_, err := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().ServiceAccounts(namespace).
		Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}
}

// accepts has the API server validate every object of the manifest, without keeping it.
func accepts(t *testing.T, manifest string) {
	t.Helper()
	http, err := rest.HTTPClientFor(cluster.Config)
	require.NoError(t, err)
	mapper, err := apiutil.NewDynamicRESTMapper(cluster.Config, http)
	require.NoError(t, err)
	there := map[string]bool{"": true}
	objectsOf := dynamic.NewForConfigOrDie(cluster.Config)
	for _, object := range objects(t, manifest) {
		if !there[object.GetNamespace()] {
			createNamespace(t, object.GetNamespace())
			there[object.GetNamespace()] = true
		}
		if object.GetKind() == "Pod" {
			account, _, err := unstructured.NestedString(object.Object, "spec", "serviceAccountName")
			require.NoError(t, err)
			createAccount(t, object.GetNamespace(), account)
		}
		gvk := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		require.NoError(t, err)
		_, err = objectsOf.Resource(mapping.Resource).Namespace(object.GetNamespace()).Apply(t.Context(), object.GetName(), object,
			metav1.ApplyOptions{FieldManager: "helm", Force: true, DryRun: []string{metav1.DryRunAll}})
		assert.NoErrorf(t, err, "%s %s", gvk.Kind, object.GetName())
	}
}
