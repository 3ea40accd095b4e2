package golden_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	assert.Equal(t, "golden file mismatch: testdata/web.yaml\n"+mismatch.Diff, err.Error())
}

func TestErrorsOfComparing(t *testing.T) {
	boom := errors.New("boom")
	require.EqualError(t, golden.CompareYAML("none", preview{err: boom}), "Preview failed: boom")
	unknown := []client.Object{service("web")}
	for want, err := range map[string]error{
		"Preview failed: boom": golden.CompareComponentYAML("none", previews{err: boom}),
		"failed to serialize object to YAML: the kind of *v1.Service is unknown: set its TypeMeta or pass WithScheme": golden.CompareYAML(
			"none", preview{objects: unknown}),
		"failed to serialize object 0 to YAML: the kind of *v1.Service is unknown: set its TypeMeta or pass WithScheme": golden.CompareComponentYAML(
			"none", previews{objects: unknown}),
		"failed to serialize object 1 to YAML: the object is nil": golden.CompareComponentYAML(
			"none", previews{objects: []client.Object{service("web"), nil}}, known),
	} {
		assert.EqualError(t, err, want)
	}
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
