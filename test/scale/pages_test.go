package scale_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pluginPages are measured. The rule is paged, which has a copy in each namespace.
var pluginPages = []string{
	"/", "/?q=paged", "/problems", "/namespaces", "/namespaces?group=others&page=2", "/consents", "/rules/clusterprojection/paged",
	"/rules/clusterprojection/paged?q=4999", "/rules/clusterprojection/paged/in/paged-00007", "/namespaces/paged-00007",
	"/objects/configmap/home/paged", "/objects/configmap/paged-00007/paged", "/plan?rule=clusterprojection/paged&labels=tier%3Dweb&diff=true",
}

var servedAt = regexp.MustCompile(`(http://127\.0\.0\.1:\d+)(/\?token=\w+)`)

// TestPagesOnManyNamespaces asks for each page of the plugin, and logs how long it took, how long it is, and how much memory the plugin needed.
func TestPagesOnManyNamespaces(t *testing.T) {
	plugin := copyToNamespaces(t, "paged")
	t.Logf("%-50s %8s %8s %8s", "page", "first", "KiB", "MiB")
	for _, page := range pluginPages {
		took, size, memory := shown(t, plugin, page)
		t.Logf("%-50s %8.2f %8d %8.0f", page, took.Seconds(), size>>10, memory)
		assert.Less(t, memory, float64(maxMemory), page)
	}
}

// shown asks a new server for a page twice, as one that follows changes does.
func shown(t *testing.T, plugin, path string) (first time.Duration, size int64, memory float64) {
	t.Helper()
	server := exec.CommandContext(t.Context(), plugin, "ui", "--kubeconfig", cluster.KubeConfig)
	printed, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	peak := peakOf(server.Process.Pid)
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	address := servedAt.FindStringSubmatch(line)
	require.NotNil(t, address, line)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	opened(t, browser, address[1], address[2])
	begun := time.Now()
	size = opened(t, browser, address[1], path)
	first = time.Since(begun)
	opened(t, browser, address[1], path)
	require.NoError(t, server.Process.Signal(os.Interrupt))
	memory = <-peak
	_ = server.Wait() // it was interrupted
	return first, size, memory
}

// opened returns how long the page is. The form of a plan is sent.
func opened(t *testing.T, browser *http.Client, server, path string) int64 {
	t.Helper()
	method, form := http.MethodGet, ""
	if page, query, isForm := strings.Cut(path, "plan?"); isForm {
		method, path, form = http.MethodPost, page+"plan", query
	}
	request, err := http.NewRequestWithContext(t.Context(), method, server+path, strings.NewReader(form))
	require.NoError(t, err)
	request.Header.Set("Origin", server)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := browser.Do(request)
	require.NoError(t, err)
	size, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, path)
	return size
}
