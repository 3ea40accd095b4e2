package source_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	definitionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"projection.sh/operator/components/source"
)

const (
	soon = 20 * time.Second
	tick = 20 * time.Millisecond
)

func newResolver(t *testing.T, config *rest.Config) *source.Resolver {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	return source.NewResolver(client, source.Registry{
		Metadata: metadata.NewForConfigOrDie(config), Objects: dynamic.NewForConfigOrDie(config),
	}, source.RulesCluster)
}

func newNamespace(t *testing.T) string {
	t.Helper()
	created, err := kubernetes.NewForConfigOrDie(cluster.Config).CoreV1().Namespaces().
		Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "source-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return created.Name
}

var groups atomic.Int32

// newGroup returns the name of an API group that no other test uses.
func newGroup() string { return fmt.Sprintf("g%d.example.com", groups.Add(1)) }

// define creates the definition of a namespaced kind with its versions, the preferred one first.
func define(t *testing.T, group, kind string, versions ...string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return defineIn(t, apiextensionsv1.NamespaceScoped, group, kind, versions...)
}

func defineIn(t *testing.T, scope apiextensionsv1.ResourceScope, group, kind string, versions ...string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	plural := strings.ToLower(kind) + "s"
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, ListKind: kind + "List", Plural: plural, Singular: strings.ToLower(kind)},
			Scope: scope,
		},
	}
	for i, name := range versions {
		definition.Spec.Versions = append(definition.Spec.Versions, version(name, i == 0))
	}
	created, err := definitions().Create(t.Context(), definition, metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}

func version(name string, storage bool) apiextensionsv1.CustomResourceDefinitionVersion {
	return apiextensionsv1.CustomResourceDefinitionVersion{
		Name: name, Served: true, Storage: storage,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", XPreserveUnknownFields: new(true),
		}},
	}
}

func definitions() definitionsclient.CustomResourceDefinitionInterface {
	return apiextensions.NewForConfigOrDie(cluster.Config).ApiextensionsV1().CustomResourceDefinitions()
}

// answering returns a configuration whose requests are answered with the code where the function says so.
func answering(config *rest.Config, code int, where func(*http.Request) bool) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(request *http.Request) (*http.Response, error) {
			if !where(request) {
				return next.RoundTrip(request)
			}
			return &http.Response{
				StatusCode: code, Request: request, Header: http.Header{"Content-Type": {"text/plain"}},
				Body: io.NopCloser(strings.NewReader("no")),
			}, nil
		})
	})
	return config
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }
