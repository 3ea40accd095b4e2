package gitops_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/test/env"
)

// health is what a script tells Argo CD.
type health struct{ Status, Message string }

// argoHealth runs the script on the object as Argo CD does: with the base and table libraries and nothing else.
func argoHealth(t *testing.T, object *unstructured.Unstructured, script string) health {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	state.SetContext(t.Context())
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		require.NoError(t, state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)))
	}
	state.SetGlobal("obj", valueOf(state, object.Object))
	require.NoError(t, state.DoString(script))
	result, ok := state.Get(-1).(*lua.LTable)
	require.True(t, ok, "Argo CD wants a table, and gets a %s", state.Get(-1).Type())
	return health{result.RawGetString("status").String(), result.RawGetString("message").String()}
}

// valueOf returns a value of an object as a script sees it.
func valueOf(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case []any:
		table := state.NewTable()
		for _, item := range value {
			table.Append(valueOf(state, item))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for key, item := range value {
			table.RawSetString(key, valueOf(state, item))
		}
		return table
	default:
		return lua.LNil
	}
}

// TestArgoCDIsTaughtBothKinds does what the README beside the script says.
func TestArgoCDIsTaughtBothKinds(t *testing.T) {
	w := newWorld(t)
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.Home, Name: "argocd-cm"}, Data: map[string]string{"url": "https://argocd.example.com"}}
	require.NoError(t, w.Client.Create(t.Context(), config))
	folder := filepath.Join(env.Root(), "deploy", "argocd")
	script, err := os.ReadFile(filepath.Join(folder, "health.lua"))
	require.NoError(t, err)

	_, err = cluster.Kubectl(t.Context(), "--namespace", w.Home, "patch", "configmap", "argocd-cm", "--type", "merge",
		"--patch-file", filepath.Join(folder, "argocd-cm.yaml"))
	require.NoError(t, err)

	require.NoError(t, w.Client.Get(t.Context(), client.ObjectKeyFromObject(config), config))
	assert.Equal(t, map[string]string{
		"url": "https://argocd.example.com",
		"resource.customizations.health.projection.sh_Projection":        string(script),
		"resource.customizations.health.projection.sh_ClusterProjection": string(script),
	}, config.Data)
}

// TestHealthOfABareObject feeds the script what the API server never returns, but a dry run may.
func TestHealthOfABareObject(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(env.Root(), "deploy", "argocd", "health.lua"))
	require.NoError(t, err)
	for _, object := range []string{
		`{"metadata":{}}`,
		`{"metadata":{"generation":1},"status":{}}`,
		`{"metadata":{"generation":1},"status":{"observedGeneration":1,"conditions":[]}}`,
		`{"metadata":{"generation":1},"status":{"observedGeneration":1,"conditions":[{"type":"Stalled","status":"True"}]}}`,
	} {
		var content map[string]any
		require.NoError(t, json.Unmarshal([]byte(object), &content))
		assert.Equal(t, progressing, argoHealth(t, &unstructured.Unstructured{Object: content}, string(script)).Status, object)
	}
}
