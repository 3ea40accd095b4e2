package definition_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/components/definition"
	"projection.sh/operator/test/env"
)

// server is an API server that has one definition, or an error.
type server struct {
	client.Reader
	definition *unstructured.Unstructured
	err        error
	reads      []string
}

func (s *server) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	s.reads = append(s.reads, key.Name)
	if s.err == nil {
		s.definition.DeepCopyInto(into.(*unstructured.Unstructured))
	}
	return s.err
}

// serve returns an API server with the committed definition of the kind, and with more properties of its spec.
func serve(t *testing.T, plural, more string) *server {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(env.CRDs(), "projection.sh_"+plural+".yaml"))
	require.NoError(t, err)
	s := &server{definition: &unstructured.Unstructured{}}
	require.NoError(t, yaml.Unmarshal(content, &s.definition.Object))
	s.extend(t, more)
	return s
}

func (s *server) extend(t *testing.T, more string) {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(s.definition.Object, "spec", "versions")
	require.NoError(t, err)
	properties, _, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec", "properties")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal([]byte(more), &properties))
	require.NoError(t, unstructured.SetNestedMap(versions[0].(map[string]any), properties, "schema", "openAPIV3Schema", "properties", "spec", "properties"))
	require.NoError(t, unstructured.SetNestedSlice(s.definition.Object, versions, "spec", "versions"))
}

const never = time.Hour

// heard is where the log goes; it can be set once in a process.
var heard atomic.Pointer[[]string]

func TestMain(m *testing.M) {
	heard.Store(&[]string{})
	log.SetLogger(funcr.New(func(_, args string) { *heard.Load() = append(*heard.Load(), args) }, funcr.Options{}))
	os.Exit(m.Run())
}

var rules = map[string]struct {
	kind string
	rule client.Object
}{
	"projections":        {v1.KindProjection, &v1.Projection{}},
	"clusterprojections": {v1.KindClusterProjection, &v1.ClusterProjection{}},
}

func TestCommittedDefinitionsHaveNoFieldThatTheTypesLack(t *testing.T) {
	for plural, rule := range rules {
		api := serve(t, plural, `{}`)
		d := definition.New(api, rule.kind, rule.rule, never)
		assert.True(t, d.AllFieldsKnown(t.Context()), plural)
		assert.False(t, d.IsUncertain(), plural)
		assert.Equal(t, []string{plural + ".projection.sh"}, api.reads)
		assert.True(t, d.AllFieldsKnown(t.Context()))
		assert.Len(t, api.reads, 1, "it is read once")
	}
}

func TestDefinitionWithMoreFieldsIsNotKnown(t *testing.T) {
	for name, more := range map[string]string{
		"a field":                `{newField: {type: string}}`,
		"below an object":        `{destination: {type: object, properties: {name: {type: string}, suffix: {type: string}}}}`,
		"any field of an object": `{source: {type: object, x-kubernetes-preserve-unknown-fields: true}}`,
		"whatever is in a map":   `{overlay: {type: object, additionalProperties: true}}`,
		"below an item of a list that was a text": `{source: {type: object, properties: {name: {type: array,
			items: {type: object, properties: {weight: {type: integer}}}}}}}`,
		"below a value of a map that was a text": `{overlay: {type: object, properties: {labels: {type: object,
			additionalProperties: {type: object, properties: {weight: {type: integer}}}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := definition.New(serve(t, "projections", more), v1.KindProjection, &v1.Projection{}, never)
			assert.False(t, d.AllFieldsKnown(t.Context()))
			assert.True(t, d.IsUncertain())
		})
	}
}

func TestDefinitionWithFewerFieldsIsKnown(t *testing.T) {
	d := definition.New(serve(t, "projections", `{overlay: {type: object, properties: {labels: {type: object, additionalProperties: {type: string}}}}}`),
		v1.KindProjection, &v1.Projection{}, never)
	assert.True(t, d.AllFieldsKnown(t.Context()))
}

func TestDefinitionThatCannotBeReadIsNotKnownAndReportedOnce(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "projections.projection.sh", errors.New("no"))
	for name, spoil := range map[string]func(*server){
		"no right":      func(s *server) { s.err = forbidden },
		"no connection": func(s *server) { s.err = context.DeadlineExceeded },
		"no versions":   func(s *server) { unstructured.RemoveNestedField(s.definition.Object, "spec", "versions") },
		"odd versions":  func(s *server) { _ = unstructured.SetNestedField(s.definition.Object, "v1", "spec", "versions") },
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			heard.Store(&lines)
			api := serve(t, "projections", `{}`)
			intact := *api
			intact.definition = api.definition.DeepCopy()
			spoil(api)
			d := definition.New(api, v1.KindProjection, &v1.Projection{}, 0)
			for range 3 {
				assert.False(t, d.AllFieldsKnown(t.Context()))
			}
			assert.True(t, d.IsUncertain())
			assert.Len(t, api.reads, 3, "it is tried again")
			assert.Len(t, lines, 1)
			assert.True(t, d.Changed(t.Context()), "nobody can tell what has changed")

			*api = intact
			assert.True(t, d.AllFieldsKnown(t.Context()))
			assert.False(t, d.IsUncertain())
		})
	}
}

func TestDefinitionThatCannotBeReadIsLeftAloneForAWhile(t *testing.T) {
	api := serve(t, "projections", `{}`)
	api.err = assert.AnError
	d := definition.New(api, v1.KindProjection, &v1.Projection{}, never)
	for range 3 {
		assert.False(t, d.AllFieldsKnown(t.Context()))
	}
	assert.Len(t, api.reads, 1)
	api.err = nil
	assert.False(t, d.Changed(t.Context()), "it is what it was taken for")
	assert.True(t, d.AllFieldsKnown(t.Context()))
}

func TestChangeIsReportedIfItConcernsFields(t *testing.T) {
	api := serve(t, "projections", `{}`)
	d := definition.New(api, v1.KindProjection, &v1.Projection{}, never)
	require.True(t, d.AllFieldsKnown(t.Context()))
	assert.False(t, d.Changed(t.Context()), "an annotation of the definition, say")

	api.extend(t, `{newField: {type: string}}`)
	assert.True(t, d.Changed(t.Context()))
	assert.True(t, d.Changed(t.Context()), "an API server may have served rules by the former definition a moment ago")
	assert.False(t, d.AllFieldsKnown(t.Context()))
	assert.Len(t, api.reads, 4)
}

func TestUnknownFieldsOfARule(t *testing.T) {
	d := definition.New(nil, v1.KindClusterProjection, &v1.ClusterProjection{}, never)
	rule := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: rule, labels: {more: "1"}}
spec:
  source: {kind: ConfigMap, namespace: a, name: b, labels: {}}
  destination: {namespaces: [a], namespaceSelector: {matchLabels: {a: b}, matchExpressions: [{key: a, operator: In, values: [b], weight: 1}]}}
  overlay: {labels: {a: b}}
  newField: {include: [a]}
status: {more: 1}
`), &rule.Object))
	assert.Equal(t, []string{"spec.destination.namespaceSelector.matchExpressions[].weight", "spec.newField", "spec.source.labels"}, d.Unknown(rule))
}
