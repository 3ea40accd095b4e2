package cli_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestStatusOfARule(t *testing.T) {
	golden(t, "status-rule",
		"status cproj/ca",
		"status cproj/ca -o name",
		"status cproj/ca --watch",
		"status cproj ca --watch -o json",
		"status cproj/dashboards -w",
		"status cproj/merged -w",
		"status proj/app-config -n tenant-a -w --as=tenant",
		"status cproj/nothing -w",
		"status cproj/ca -A",
		"status --timeout=1s",
		"status -w -o json",
		"status cproj/ca -w -o yaml",
	)
}

func TestWatchOfARuleGoesOnWhileItsCopiesAreNotUpToDate(t *testing.T) {
	tests := map[string]struct {
		args []string
		line string
	}{
		"a copy that fails":          {[]string{"cproj/base"}, "clusterprojection/base: 2/3 copies up to date, 1 failed: DestinationConflict"},
		"a rule that is suspended":   {[]string{"cproj/paused"}, "clusterprojection/paused: 0/1 copies up to date, the rule is suspended"},
		"a source that is not there": {[]string{"proj/gone", "-n", "tenant-a"}, "projection/gone: 0/0 copies up to date, SourceNotFound: there is no ConfigMap platform/gone"},
		"a missing consent":          {[]string{"proj/ca", "-n", "tenant-a"}, "projection/ca: 0/1 copies up to date, 1 failed: DestinationNotPermitted"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			printed, code := follow(ctx, t, append([]string{"status", "--watch"}, test.args...)...)
			assert.Equal(t, test.line, awaitLine(t, printed, "up to date"))
			interrupt()
			awaitLine(t, printed, "error: interrupted before all copies of the ")
			assert.Equal(t, 2, ended(printed, code))
		})
	}
}

func TestWatchOfARuleGoesOnIfNoneOfItsSourcesMayBeCopied(t *testing.T) {
	create(t, "testdata/unpermitted.yaml")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, code := follow(ctx, t, "status", "projection/unpermitted", "-n", "legacy", "--watch")
	assert.Contains(t, awaitLine(t, printed, "up to date"), "0/0 copies up to date, SourceNotProjectable: ")
	interrupt()
	assert.Equal(t, 2, ended(printed, code))
}

func TestWatchOfARuleThatSkips(t *testing.T) {
	const rule = "clusterprojection/leaving-alone"
	create(t, "testdata/leaving-alone.yaml")
	kubectl(t, "wait", "--for=condition=Ready", rule)
	printed, code := run(t, "status", rule, "--watch", "--timeout=60s")
	assert.Equal(t, "clusterprojection/leaving-alone: 1/2 copies up to date\n", printed, "the object of somebody else is left alone")
	assert.Zero(t, code)

	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	lines, exit := follow(ctx, t, "status", rule, "--watch")
	assert.Equal(t, "clusterprojection/leaving-alone: 0/2 copies up to date, the rule is suspended", awaitLine(t, lines, "up to date"))
	interrupt()
	assert.Equal(t, 2, ended(lines, exit))
}

func TestWatchOfARuleSurvivesARequestThatFails(t *testing.T) {
	var asked atomic.Int32
	server := proxied(t, func(request *http.Request) bool {
		return request.URL.Path == "/api/v1/namespaces/platform/configmaps/app-config" && asked.Add(1) == 1
	})
	printed, code := follow(t.Context(), t, "status", "clusterprojection/listed", "--watch", "--timeout=60s", "--server="+server)
	assert.Contains(t, awaitLine(t, printed, "up to date"), "?/? copies up to date, a request failed, and is made again: ")
	awaitLine(t, printed, "1/2 copies up to date, 1 failed")
	t.Cleanup(func() { ended(printed, code) })
}

func TestWatchOfARuleEndsAfterATime(t *testing.T) {
	printed, code := follow(t.Context(), t, "status", "cproj/paused", "--watch", "--timeout=5s")
	awaitLine(t, printed, "error: not all copies of the ClusterProjection paused were up to date within 5s")
	assert.Equal(t, 2, ended(printed, code))
}

// switched creates a rule with one copy, in the namespace legacy.
func switched(t *testing.T) string {
	t.Helper()
	const rule = "clusterprojection/switched"
	create(t, "testdata/switched.yaml")
	kubectl(t, "wait", "--for=condition=Ready", rule)
	return rule
}

// proxied returns the address of a proxy in front of the API server, for its administrator. Requests that fail have the answer that it is overloaded.
func proxied(t *testing.T, fails func(*http.Request) bool) (address string) {
	t.Helper()
	target, err := url.Parse(cluster.Config.Host)
	require.NoError(t, err)
	transport, err := rest.TransportFor(cluster.Config)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport: transport, FlushInterval: -1,
	}
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if fails(request) {
			http.Error(writer, "overloaded", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(writer, request)
	}))
	t.Cleanup(server.CloseClientConnections)
	return server.URL
}

func TestWatchOfARuleEndsWhenItsCopiesAreUpToDate(t *testing.T) {
	rule := switched(t)
	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)

	printed, code := follow(t.Context(), t, "status", rule, "--watch")

	awaitLine(t, printed, "clusterprojection/switched: 0/1 copies up to date")
	run(t, "resume", rule)
	awaitLine(t, printed, "clusterprojection/switched: 1/1 copies up to date")
	assert.Zero(t, ended(printed, code))
	assert.Contains(t, kubectl(t, "get", "configmap/switched-config", "-n", "legacy", "-o", "yaml"), "tier: web")
}

func TestWatchOfARuleThatIsDeletedEnds(t *testing.T) {
	rule := switched(t)
	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)
	printed, code := follow(t.Context(), t, "status", rule, "--watch")
	awaitLine(t, printed, "0/1 copies up to date")

	kubectl(t, "delete", rule)

	awaitLine(t, printed, "error: the ClusterProjection switched was deleted")
	assert.Equal(t, 2, ended(printed, code))
}

func TestWatchOfARuleThatIsCreatedAgainEnds(t *testing.T) {
	rule := switched(t)
	kubectl(t, "patch", rule, "--type=merge", "-p", `{"spec":{"suspend":true,"overlay":{"labels":{"tier":"web"}}}}`)
	printed, code := follow(t.Context(), t, "status", rule, "--watch")
	awaitLine(t, printed, "0/1 copies up to date")

	kubectl(t, "replace", "--force", "-f", "testdata/switched.yaml")

	awaitLine(t, printed, "error: the ClusterProjection switched was deleted")
	assert.Equal(t, 2, ended(printed, code))
}
