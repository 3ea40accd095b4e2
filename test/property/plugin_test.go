package property_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/oracle"
)

// pluginProgram is the plugin of kubectl, which is built once.
var pluginProgram = sync.OnceValues(env.Plugin)

// consults lets the history ask the plugin. The operator of a history has no namespace, so this writes what an operator says of itself.
func (d *driver) consults() {
	d.t.Helper()
	program, err := pluginProgram()
	require.NoError(d.t, err)
	d.plugin, d.pluginCache = program, d.t.TempDir()
	options := app.Defaults()
	d.adapt(&options)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.name("settings")}}
	require.NoError(d.t, d.client.Create(context.Background(), namespace))
	info := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace.Name, Name: v1.ConfigMapInfo}, Data: map[string]string{
		"source-mode": options.SourceMode, "watch-label-selector": options.WatchLabelSelector,
		"require-service-account": strconv.FormatBool(options.RequireServiceAccount),
	}}
	require.NoError(d.t, d.client.Create(context.Background(), info))
}

// forecast is what the command plan prints.
type forecast struct {
	Rules []plannedRule `json:"rules"`
}

type plannedRule struct {
	Kind      string         `json:"kind"`
	Namespace string         `json:"namespace"`
	Name      string         `json:"name"`
	Counts    map[string]int `json:"counts"`
	Changes   []planned      `json:"changes"`
}

// Actions that the plugin says.
const (
	actionKeep    = "keep"
	actionSkip    = "skip"
	actionUpdate  = "update"
	actionRefuse  = "refuse"
	actionUnknown = "unknown"
)

// planned is what the plugin says of one copy.
type planned struct {
	Action    string       `json:"action"`
	Namespace string       `json:"namespace"`
	Source    *plannedCopy `json:"source"`
	Copy      *plannedCopy `json:"copy"`
	Reason    string       `json:"reason"`
	Message   string       `json:"message"`
	Check     *struct {
		Result string `json:"result"`
	} `json:"check"`
}

type plannedCopy struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// place returns where the copy is.
func (p planned) place() oracle.Place {
	if p.Copy == nil {
		return oracle.Place{Namespace: p.Namespace}
	}
	return oracle.Place{Kind: schema.GroupKind{Group: p.Copy.Group, Kind: p.Copy.Kind}, Namespace: p.Copy.Namespace, Name: p.Copy.Name}
}

// isRefused tells whether the API server would refuse the write.
func (p planned) isRefused() bool { return p.Check != nil && p.Check.Result == "refused" }

// plan returns what the plugin says would become of the copies if the rules were as given.
func (d *driver) plan(rules ...oracle.Rule) []plannedRule {
	d.t.Helper()
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for _, rule := range rules {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(rule)
		require.NoError(d.t, err)
		proposed := unstructured.Unstructured{Object: map[string]any{"spec": fields["spec"]}}
		proposed.SetGroupVersionKind(v1.GroupVersion.WithKind(rule.GetKind()))
		proposed.SetNamespace(rule.GetNamespace())
		proposed.SetName(rule.GetName())
		proposed.SetLabels(rule.GetLabels())
		list.Items = append(list.Items, proposed)
	}
	input, err := json.Marshal(list)
	require.NoError(d.t, err)
	var said forecast
	require.NoError(d.t, json.Unmarshal(d.ask(input, "plan", "-f", "-", "--check-writes"), &said), "%s", d.told())
	require.Len(d.t, said.Rules, len(rules))
	return said.Rules
}

// ask runs a command of the plugin, and returns what it prints as JSON.
func (d *driver) ask(input []byte, arguments ...string) []byte {
	d.t.Helper()
	arguments = append(slices.Clone(arguments), "-o", "json", "--kubeconfig", d.plane.KubeConfig, "--cache-dir", d.pluginCache, "--operator-namespace", d.name("settings"))
	command := exec.CommandContext(context.Background(), d.plugin, arguments...)
	var out, words bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(input), &out, &words
	err := command.Run()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended && exit.ExitCode() == 1 {
		err = nil // it has found something
	}
	require.NoError(d.t, err, "%v: %s%s\n%s", arguments, out.String(), words.String(), d.told())
	return out.Bytes()
}
