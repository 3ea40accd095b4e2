package destination_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: settings, namespace: home, labels: {ours: "1"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example.com/web:1", env: [{name: A, value: a}]}]}
`

// TestSignals lets others write, and looks at whether the API server's record of our fields tells.
func TestSignals(t *testing.T) {
	tests := map[string]struct {
		patch       string
		patchType   types.PatchType
		subresource []string
		drift       bool
	}{
		"their label":                {`{"metadata":{"labels":{"theirs":"1"}}}`, types.MergePatchType, nil, false},
		"their annotation":           {`{"metadata":{"annotations":{"theirs":"1"}}}`, types.MergePatchType, nil, false},
		"their finalizer":            {`{"metadata":{"finalizers":["example.com/theirs"]}}`, types.MergePatchType, nil, false},
		"a field that we do not set": {`{"spec":{"replicas":5}}`, types.MergePatchType, nil, false},
		"their container":            {`{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"registry.example.com/side:1"}]}}}}`, types.StrategicMergePatchType, nil, false},
		"the status":                 {`{"status":{"replicas":5,"observedGeneration":1}}`, types.MergePatchType, []string{"status"}, false},
		"the same value":             {`{"metadata":{"labels":{"ours":"1"}}}`, types.MergePatchType, nil, false},

		"our label":             {`{"metadata":{"labels":{"ours":"2"}}}`, types.MergePatchType, nil, true},
		"our label, removed":    {`{"metadata":{"labels":{"ours":null}}}`, types.MergePatchType, nil, true},
		"our image":             {`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"registry.example.com/web:2"}]}}}}`, types.StrategicMergePatchType, nil, true},
		"our variable":          {`{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"A","value":"b"}]}]}}}}`, types.StrategicMergePatchType, nil, true},
		"our variable, removed": {`[{"op":"remove","path":"/spec/template/spec/containers/0/env"}]`, types.JSONPatchType, nil, true},
		"the record of writers": {`{"metadata":{"managedFields":[{}]}}`, types.MergePatchType, nil, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, deployments)
			fields := w.apply(web).Fields
			content := w.copyIn(w.namespace, web).Content

			after, err := w.objects().Patch(t.Context(), "settings", test.patchType, []byte(test.patch), metav1.PatchOptions{FieldManager: "somebody"}, test.subresource...)
			require.NoError(t, err)

			require.Eventually(t, func() bool { return w.known(1)[0].ResourceVersion == after.GetResourceVersion() }, soon, tick)
			inStep := w.set.Cache.SetDesired(w.at(), w.set.Owner.Key(), content, fields)
			assert.Equal(t, !test.drift, inStep)
			if test.drift {
				require.Eventually(t, func() bool { return len(w.queued) == 1 }, soon, tick)
				assert.Equal(t, w.key(), <-w.queued)
			}
			assert.Empty(t, w.queued)

			repaired := w.apply(web)
			require.False(t, repaired.Failed(), repaired.Message)
			assert.Equal(t, fields, repaired.Fields, "the fields are the same after every write of the same content")
		})
	}
}
