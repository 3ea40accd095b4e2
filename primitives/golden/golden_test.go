package golden_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/golden"
)

type preview struct {
	objects []client.Object
	err     error
}

func (p preview) Preview() (client.Object, error) {
	if p.err != nil {
		return nil, p.err
	}
	return p.objects[0], nil
}

type previews preview

func (p previews) Preview() ([]client.Object, error) { return p.objects, p.err }

func service(name string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", CreationTimestamp: metav1.Unix(0, 0)},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": name}},
	}
}

var known = golden.WithScheme(scheme.Scheme)

func TestGoldenFiles(t *testing.T) {
	golden.AssertYAML(t, "testdata/web.yaml", preview{objects: []client.Object{service("web")}}, known)
	golden.AssertComponentYAML(t, "testdata/both.yaml", previews{objects: []client.Object{service("web"), service("db")}}, known)
}

func TestUpdateWritesWhatIsCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "web.yaml")
	web, db := preview{objects: []client.Object{service("web")}}, preview{objects: []client.Object{service("db")}}
	require.EqualError(t, golden.CompareYAML(path, web, known), "golden file "+path+" does not exist; run with -update to create it")

	require.NoError(t, golden.CompareYAML(path, web, known, golden.Update(true)))
	require.NoError(t, golden.CompareYAML(path, web, known, golden.Update(false)))

	require.NoError(t, golden.CompareYAML(path, db, known, golden.Update(true)))
	require.Error(t, golden.CompareYAML(path, web, known))

	both := previews{objects: []client.Object{service("web"), service("db")}}
	require.NoError(t, golden.CompareComponentYAML(path, both, known, golden.Update(true)))
	require.NoError(t, golden.CompareComponentYAML(path, both, known))
}

func TestMismatchShowsADiff(t *testing.T) {
	err := golden.CompareYAML("testdata/web.yaml", preview{objects: []client.Object{service("db")}}, known)
	var mismatch *golden.MismatchError
	require.ErrorAs(t, err, &mismatch)
	assert.Equal(t, "testdata/web.yaml", mismatch.Path)
	assert.Contains(t, mismatch.Diff, "-  name: web\n+  name: db\n")
	assert.Equal(t, "golden file mismatch: testdata/web.yaml\n\n"+mismatch.Diff, err.Error())
	assert.True(t, strings.HasPrefix(mismatch.Diff, "--- expected\n+++ actual\n@@ "), mismatch.Diff)
}

func TestErrorsOfComparing(t *testing.T) {
	boom := errors.New("boom")
	require.EqualError(t, golden.CompareYAML("none", preview{err: boom}), "Preview failed: boom")
	half := service("web")
	half.Kind = "Service"
	const resource, component = "failed to serialize object to YAML: ", "failed to serialize component objects to YAML: "
	const way = " and no scheme was provided; either set TypeMeta on the object or pass golden.WithScheme(scheme)"
	for want, err := range map[string]error{
		"Preview failed: boom": golden.CompareComponentYAML("none", previews{err: boom}),
		resource + `object *v1.Service has incomplete TypeMeta (kind="", apiVersion="")` + way: golden.CompareYAML(
			"none", preview{objects: []client.Object{service("web")}}),
		resource + `object *v1.Service has incomplete TypeMeta (kind="Service", apiVersion="")` + way: golden.CompareYAML(
			"none", preview{objects: []client.Object{half}}),
		component + `failed to serialize object 0 to YAML: object *v1.Service has incomplete TypeMeta (kind="", apiVersion="")` + way: golden.
			CompareComponentYAML("none", previews{objects: []client.Object{service("web")}}),
		component + "failed to serialize object 1 to YAML: the object is nil": golden.CompareComponentYAML(
			"none", previews{objects: []client.Object{service("web"), nil}}, known),
	} {
		require.EqualError(t, err, want)
	}
	empty := golden.WithScheme(runtime.NewScheme())
	require.ErrorContains(t, golden.CompareYAML("none", preview{objects: []client.Object{service("web")}}, empty),
		resource+"failed to look up GVK for *v1.Service in scheme: ")
}

func TestErrorsOfFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, golden.CompareBytes(file, []byte("a"), golden.Update(true)))
	require.ErrorContains(t, golden.CompareBytes(dir, nil), "failed to read golden file: ")
	require.ErrorContains(t, golden.CompareBytes(dir, nil, golden.Update(true)), "failed to write golden file: ")
	require.ErrorContains(t, golden.CompareBytes(filepath.Join(file, "below"), nil, golden.Update(true)), "failed to create golden file directory: ")
}

func TestSerializeLeavesTheObjectAlone(t *testing.T) {
	web := service("web")
	_, err := golden.Serialize(web, scheme.Scheme)
	require.NoError(t, err)
	assert.Equal(t, service("web"), web)
}

func TestSerializeKeepsAStatusThatSaysSomething(t *testing.T) {
	web := service("web")
	web.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "10.0.0.1"}}
	content, err := golden.Serialize(web, scheme.Scheme)
	require.NoError(t, err)
	assert.Contains(t, string(content), "10.0.0.1")
}

// recorder is a test that only notes its failures.
type recorder struct {
	testing.TB
	failures []any
}

func (*recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.failures = append(r.failures, args...) }

func TestAssertFailsTheTest(t *testing.T) {
	failing := &recorder{TB: t}
	golden.AssertYAML(failing, "testdata/web.yaml", preview{objects: []client.Object{service("db")}}, known)
	golden.AssertComponentYAML(failing, "testdata/web.yaml", previews{objects: []client.Object{service("db")}}, known)
	assert.Len(t, failing.failures, 2)
}
