package cli_test

import (
	"bufio"
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"projection.sh/operator/cmd/kubectl-projection/internal/cli"
)

// browser is somebody who has opened the address that the command ui prints.
type browser struct {
	client *http.Client
	base   string
}

var served = regexp.MustCompile(`^Serving on (http://127\.0\.0\.1:\d+)(/\?token=\w+)  read-only, with your own permissions \(context: [^)]+\)\. Press Ctrl-C to stop\.\n$`)

// open runs the command ui until the test ends, and opens the address.
func open(t *testing.T, args ...string) *browser {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: out, ErrOut: out}
	ended := make(chan int, 1)
	args = append([]string{"ui", "--kubeconfig", cluster.KubeConfig, "--cache-dir", t.TempDir()}, args...)
	go func() { ended <- cli.New("v0.1.0", streams).Run(ctx, args) }()
	t.Cleanup(func() {
		stop()
		assert.Zero(t, <-ended)
	})
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	address := served.FindStringSubmatch(line)
	require.NotNil(t, address, line)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	b := &browser{&http.Client{Jar: jar}, address[1]}
	b.get(t, address[2], http.StatusOK)
	return b
}

func (b *browser) get(t *testing.T, path string, status int) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+path, nil)
	require.NoError(t, err)
	return b.do(t, request, status)
}

// events returns the lines that a page hears.
func (b *browser) events(t *testing.T) *bufio.Scanner {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"/events", nil)
	require.NoError(t, err)
	response, err := b.client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, response.Body.Close()) })
	return bufio.NewScanner(response.Body)
}

func (b *browser) plan(t *testing.T, form url.Values) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/plan", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", b.base)
	return b.do(t, request, http.StatusOK)
}

func (b *browser) do(t *testing.T, request *http.Request, status int) string {
	t.Helper()
	response, err := b.client.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, status, response.StatusCode, "%s: %s", request.URL.Path, body)
	assert.NotContains(t, string(body), "never printed", "the value of a Secret")
	assert.NotContains(t, string(body), "YSB2YWx1ZSB0aGF0", "the encoded value of a Secret")
	return readable(string(body))
}

var (
	element = regexp.MustCompile(`<[^>]*>`)
	spaces  = regexp.MustCompile(`\s+`)
)

// readable returns the text of a page as a line.
func readable(page string) string {
	_, main, _ := strings.Cut(page, "<main")
	return spaces.ReplaceAllString(html.UnescapeString(element.ReplaceAllString("<main"+main, " ")), " ")
}

func TestPagesSayWhatTheCommandsPrint(t *testing.T) {
	b := open(t)
	tests := map[string]struct{ shows, not []string }{
		"/": {shows: []string{
			"Operator: v0.1.0 in projection-system, source mode allowlist", "Not ready", "ConfigMap platform/app-config ClusterProjection base", "failed: 2/3 DestinationConflict",
			"good: 2/2 Projected", "Projection tenant-a/app-config",
		}},
		"/?q=tenant-a%2Fca": {shows: []string{"Projection tenant-a/ca"}, not: []string{"ClusterProjection base"}},
		"/rules/clusterprojection/base": {shows: []string{
			"ClusterProjection base", "2 of 3 copies in sync", "failed: Ready=False DestinationConflict", "ConfigMap web-2/app-config ✘ failed: Foreign",
			"A foreign object exists where the copy should be.", "foreign 1", "in sync 2", "not selected 6", "excluded 3", "legacy", "namespaceSelector:",
			"kubectl projection tree clusterprojection/base",
		}},
		"/rules/clusterprojection/ca": {shows: []string{
			"in sync 2", "not permitted ", "The owner of the source permits no copy in", "excluded 3", "place of the source 1",
		}, not: []string{"not selected"}},
		"/rules/clusterprojection/ca/in/platform":          {shows: []string{"PlaceOfSource"}},
		"/rules/clusterprojection/listed":                  {shows: []string{"not listed"}, not: []string{"not selected"}},
		"/rules/clusterprojection/base?group=not+selected": {shows: []string{"legacy"}, not: []string{"web-1"}},
		"/rules/projection/tenant-a/private":               {shows: []string{"SourceNotProjectable"}, not: []string{"not selected"}},
		"/rules/clusterprojection/merged":                  {shows: []string{"1 of 1 copy in sync"}},
		"/rules/clusterprojection/base/in/legacy": {shows: []string{
			"NotTarget NotSelected", "(the namespace has team=legacy)", "kubectl projection why clusterprojection/base -n legacy",
		}},
		"/rules/clusterprojection/base/in/web-2":   {shows: []string{"failed: Foreign DestinationConflict"}},
		"/rules/clusterprojection/paused/in/api-1": {shows: []string{"Missing", "What the operator would change", "+ log-level: info"}},
	}
	for path, test := range tests {
		page := b.get(t, path, http.StatusOK)
		for _, text := range test.shows {
			assert.Contains(t, page, text, path)
		}
		for _, text := range test.not {
			assert.NotContains(t, page, text, path)
		}
	}
	assert.Contains(t, b.get(t, "/rules/clusterprojection/nothing", http.StatusNotFound), "not found")
}

func TestPagesOfNamespacesAndObjects(t *testing.T) {
	b := open(t)
	tests := map[string]struct{ shows, not []string }{
		"/namespaces": {shows: []string{"failed 2", "web-2", "legacy"}},
		"/namespaces/tenant-a": {shows: []string{
			"Namespace tenant-a", "team=tenants", "What is wrong Rule Reason Message ✘ failed: Projection tenant-a/ca", "SourceNotProjectable",
			"ConfigMap tenant-a/shared-config ✔ good: copy, in sync Projection tenant-a/app-config ConfigMap platform/app-config",
		}},
		"/namespaces/web-2":                      {shows: []string{"What is wrong", "ClusterProjection base DestinationConflict", "Secret web-2/ca"}},
		"/namespaces/web-1":                      {shows: []string{"ConfigMap web-1/old", "copy, orphaned"}},
		"/objects/configmap/platform/app-config": {shows: []string{`consents: "true"`, "Copied by", "ClusterProjection base", "Projection tenant-a/app-config", "kubectl projection why configmap/app-config -n platform"}},
		"/objects/secret/platform/ca":            {shows: []string{"Secret platform/ca", `consents: "namespaces: team=web"`, "ClusterProjection ca"}},
		"/objects/secret/web-1/ca":               {shows: []string{"copy, in sync", "Source Secret platform/ca", "kubectl edit secret/ca -n platform"}},
		"/objects/configmap/web-1/old":           {shows: []string{"ClusterProjection vanished, which does not exist", "delete it, or create the rule again"}},
		"/objects/configmap/legacy/forged":       {not: []string{"curl"}},
		"/consents":                              {shows: []string{"Secret platform/ca platform", `✔ good: consents: "namespaces: team=web"`, `does not consent: "false"`}},
		"/consents?group=Secret":                 {shows: []string{"Secret platform/ca"}, not: []string{"app-config"}},
		"/problems": {shows: []string{
			"DestinationConflict", "kubectl projection tree clusterprojection/base", "PR301", "kubectl projection release configmap/old -n web-1",
			"PR205", "kubectl projection resume clusterprojection/paused", "kubectl projection tree projection/ca -n tenant-a",
		}},
		"/plan": {shows: []string{"Show the plan", "nothing is written"}},
	}
	for path, test := range tests {
		page := b.get(t, path, http.StatusOK)
		for _, text := range test.shows {
			assert.Contains(t, page, text, path)
		}
		for _, text := range test.not {
			assert.NotContains(t, page, text, path)
		}
	}
	b.get(t, "/objects/configmap/platform/nothing", http.StatusNotFound)
	assert.Contains(t, b.get(t, "/objects/nothings/platform/x", http.StatusNotFound), `doesn't have a resource type "nothings"`)
	for _, path := range []string{
		"/objects/configmap/default%2Fservices%2Fweb%2Fproxy%2Freset/x", "/objects/configmap/platform/..%2Fx", "/namespaces/a%2Fb",
		"/rules/clusterprojection/base/in/a%2Fb", "/rules/projection/..%2F../x",
	} {
		assert.Contains(t, b.get(t, path, http.StatusNotFound), "no object has the name", path)
	}
}

func TestPlanOnAPageWritesNothing(t *testing.T) {
	b := open(t)
	version := func() string {
		return kubectl(t, "get", "projections,clusterprojections,configmaps,secrets", "-A", "-o", "jsonpath={range .items[*]}{.metadata.resourceVersion} {end}")
	}
	before := version()
	page := b.plan(t, url.Values{"rule": {"clusterprojection/base"}, "selector": {"team=api"}, "labels": {"tier=web\n"}, "diff": {"true"}})
	for _, text := range []string{
		"Plan of ClusterProjection base", "Plan: 1 to update, 1 to delete", "delete 1 update 1", `spec.overlay: added {"labels":{"tier":"web"}}`, "web-1 ✘ failed: delete", "+ tier: web",
	} {
		assert.Contains(t, page, text)
	}
	page = b.plan(t, url.Values{"rule": {"clusterprojection/ca"}, "labels": {"tier=web"}, "diff": {"true"}})
	assert.Contains(t, page, "How Secret web-1/ca changes")
	assert.Contains(t, b.plan(t, url.Values{"rule": {"clusterprojection/nothing"}}), `"nothing" not found`)
	assert.Contains(t, b.plan(t, url.Values{}), "name one object as TYPE/NAME")
	assert.Equal(t, before, version())
}
