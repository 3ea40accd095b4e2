package crd_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/components/publication/crd"
	"projection.sh/operator/primitives/golden"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// preview shows a definition without its status, which API servers write.
type preview struct {
	definition *apiextensionsv1.CustomResourceDefinition
}

func (p preview) Preview() (client.Object, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(p.definition)
	delete(content, "status")
	return &unstructured.Unstructured{Object: content}, err
}

// offer is a definition of testdata/service and how consumers see it.
type offer struct {
	service    string
	projection crd.Projection
}

// offers have their results in testdata/consumer.
var offers = map[string]offer{
	"as-it-is": {"zones", crd.Projection{}},
	"renamed": {"certificates", crd.Projection{
		Group: "certificates.example.corp", Kind: "Zertifikat", Plural: "zertifikate", ShortNames: &[]string{"zert"}, Categories: &[]string{},
		RenamedVersions: map[string]string{"v1": "v1beta1"},
	}},
	"hidden": {"certificates", crd.Projection{Group: "certificates.example.corp", Hide: []string{"spec.issuerRef", "spec.hosts[*].weight"}}},
	"two-versions": {"databases", crd.Projection{
		Group: "db.example.com", Kind: "Database", Versions: []string{"v1", "v1alpha1"}, Hide: []string{"spec.storageClass"},
	}},
	"no-scale":     {"databases", crd.Projection{Group: "db.example.com", Hide: []string{"spec.replicas"}}},
	"field-inside": {"zones", crd.Projection{Hide: []string{"spec.internal.server", "spec.internal"}, Singular: "z", Plural: "zonen"}},
}

func TestDefinitionsAreTheGoldenOnes(t *testing.T) {
	for name, offer := range offers {
		t.Run(name, func(t *testing.T) {
			service := read(t, offer.service)
			before := service.DeepCopy()
			projected, err := crd.Project(service, offer.projection)
			require.NoError(t, err)
			assert.Equal(t, before, service, "the definition of the service was changed")
			golden.AssertYAML(t, filepath.Join("testdata", "consumer", name+".yaml"), preview{projected}, golden.Update(*update))
		})
	}
}

func TestNoGoldenFileIsLeftOver(t *testing.T) {
	files, err := os.ReadDir(filepath.Join("testdata", "consumer"))
	require.NoError(t, err)
	for _, file := range files {
		assert.Contains(t, offers, strings.TrimSuffix(file.Name(), ".yaml"))
	}
}

// read returns a definition of testdata/service.
func read(t testing.TB, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "service", name+".yaml"))
	require.NoError(t, err)
	definition := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(t, yaml.UnmarshalStrict(text, definition))
	return definition
}
