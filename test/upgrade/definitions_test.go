package upgrade_test

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"projection.sh/operator/test/env"
)

// change changes what a definition says below its spec.
type change func(spec map[string]any)

// committed are the definitions of this tree.
func committed(map[string]any) {}

// later are those of a version to come: with a field of the spec, one of each item of a list, and one of an object that
// there is.
func later(spec map[string]any) {
	text := map[string]any{"type": "string"}
	texts := map[string]any{"type": "object", "additionalProperties": text}
	properties(spec)["newField"] = map[string]any{"type": "object", "properties": map[string]any{
		"include": map[string]any{"type": "array", "items": text},
		"rename":  texts,
	}}
	properties(spec, "overlay")["finalizer"] = text
	if selector := properties(spec, "destination")["namespaceSelector"]; selector != nil {
		requirement := properties(spec, "destination", "namespaceSelector")["matchExpressions"].(map[string]any)["items"].(map[string]any)
		properties(requirement)["weight"] = map[string]any{"type": "integer"}
	}
}

// properties returns the properties of the schema at the path.
func properties(schema map[string]any, path ...string) map[string]any {
	found := schema["properties"].(map[string]any)
	for _, name := range path {
		found = found[name].(map[string]any)["properties"].(map[string]any)
	}
	return found
}

// define writes both definitions anew, and returns when the API server goes by them.
func (w *world) define(change change) {
	w.T.Helper()
	for _, plural := range []string{"projections", "clusterprojections"} {
		definition := w.definition(plural, change)
		written := definition.DeepCopy()
		require.NoError(w.T, w.Client.Get(w.T.Context(), client.ObjectKeyFromObject(definition), written))
		definition.SetResourceVersion(written.GetResourceVersion())
		require.NoError(w.T, w.Client.Update(w.T.Context(), definition))
	}
	w.followed(change)
}

// definition returns the committed definition with the change.
func (w *world) definition(plural string, change change) *unstructured.Unstructured {
	w.T.Helper()
	content, err := os.ReadFile(filepath.Join(env.CRDs(), "projection.sh_"+plural+".yaml"))
	require.NoError(w.T, err)
	definition := &unstructured.Unstructured{}
	require.NoError(w.T, yaml.Unmarshal(content, &definition.Object))
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	require.NoError(w.T, err)
	require.Len(w.T, versions, 1)
	schema := versions[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)
	change(properties(schema)["spec"].(map[string]any))
	require.NoError(w.T, unstructured.SetNestedSlice(definition.Object, versions, "spec", "versions"))
	return definition
}

// followed waits until the API server keeps, or drops, what the definitions know or do not.
func (w *world) followed(change change) {
	w.T.Helper()
	spec := map[string]any{"properties": map[string]any{"overlay": map[string]any{"properties": map[string]any{}}, "destination": map[string]any{"properties": map[string]any{}}}}
	change(spec)
	_, wanted := properties(spec)["newField"]
	require.Eventually(w.T, func() bool {
		for _, manifest := range []string{w.projection("probe", `newField: {include: [a]}`), w.fanOut("probe", "", `newField: {include: [a]}`)} {
			probe := w.Object(manifest)
			probe.SetNamespace(map[bool]string{true: "default"}[probe.GetNamespace() != ""])
			if err := w.Client.Create(w.T.Context(), probe, client.DryRunAll); err != nil {
				return false
			}
			if _, kept, _ := unstructured.NestedMap(probe.Object, "spec", "newField"); kept != wanted {
				return false
			}
		}
		return true
	}, env.Timeout, env.Interval, "the API server does not follow the definitions")
}
