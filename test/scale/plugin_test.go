package scale_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/env"
)

var pluginNamespaces = flag.Int("plugin-namespaces", 100, "How many namespaces the plugin of kubectl is measured with.")

// maxMemory is how much a command of the plugin may need, in MiB.
const maxMemory = 100

// pluginCommands are measured. The rule is many, which has a copy in each namespace.
var pluginCommands = []string{
	"status", "status clusterprojection/many --watch", "top", "tree clusterprojection/many",
	"why clusterprojection/many -n many-00007", "why configmap/many -n many-00007", "render clusterprojection/many -n many-00007",
	"plan clusterprojection/many", "plan clusterprojection/many --set-label=tier=web", "plan clusterprojection/many --set-label=tier=web --check-writes",
	"plan clusterprojection/many --set-label=tier=web --diff", "plan clusterprojection/many --set-selector=group=nothing",
	"doctor", "consents -A", "events", "migrate --from=reflector",
}

// TestPluginOnManyNamespaces runs each command, and logs how long it took until it printed something, how long in all, and how much memory it needed.
func TestPluginOnManyNamespaces(t *testing.T) {
	plugin := copyToNamespaces(t, "many")
	t.Logf("%-75s %8s %8s %8s", "command", "first", "all", "MiB")
	for _, command := range pluginCommands {
		first, all, memory := measured(t, plugin, command)
		t.Logf("%-75s %8.2f %8.2f %8.0f", command, first.Seconds(), all.Seconds(), memory)
		assert.Less(t, memory, float64(maxMemory), command)
	}
}

// copyToNamespaces has a rule of that name copy to as many namespaces as the flag says, and returns the path of the plugin.
func copyToNamespaces(t *testing.T, name string) (plugin string) {
	t.Helper()
	w := newWorld(t)
	w.members(name, *pluginNamespaces)
	rule := w.fanOut(w.source(name), v1.ClusterProjectionDestination{
		NamespaceSelector: &v1.NamespaceSelector{MatchLabels: map[string]string{"group": name}},
	})
	w.counts(rule, int32(*pluginNamespaces), 0)
	plugin, err := env.Plugin()
	require.NoError(t, err)
	return plugin
}

// measured runs a command of the plugin.
func measured(t *testing.T, plugin, command string) (first, all time.Duration, memory float64) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), plugin, append(strings.Fields(command), "--kubeconfig", cluster.KubeConfig)...)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	begun := time.Now()
	require.NoError(t, cmd.Start())
	peak := peakOf(cmd.Process.Pid)
	_, err = io.ReadFull(out, make([]byte, 1))
	first = time.Since(begun)
	if err == nil {
		_, err = io.Copy(io.Discard, out)
	}
	memory = <-peak
	_ = cmd.Wait() // the exit code counts
	all = time.Since(begun)
	require.NoError(t, err, "%s printed nothing: %s", command, &problems)
	require.Less(t, cmd.ProcessState.ExitCode(), 2, fmt.Sprint(command, ": ", &problems))
	return first, all, memory
}

// peakOf sends, when the process has ended, how much memory it needed at most, in MiB, as Linux counts it.
func peakOf(pid int) <-chan float64 {
	peak := make(chan float64, 1)
	go func() {
		most, every := 0.0, time.NewTicker(2*time.Millisecond)
		defer every.Stop()
		for range every.C {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it has ended if there is none
			_, rest, found := strings.Cut(string(status), "VmHWM:")
			if !found {
				break
			}
			var kilobytes float64
			_, _ = fmt.Sscan(rest, &kilobytes)
			most = max(most, kilobytes/1024)
		}
		peak <- most
	}()
	return peak
}
