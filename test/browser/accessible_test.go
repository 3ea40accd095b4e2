package browser_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

// device is what somebody looks at the pages with.
type device struct {
	name          string
	width, height int64
	theme         string
}

var devices = []device{
	{"desktop-light", 1280, 800, "light"},
	{"desktop-dark", 1280, 800, "dark"},
	{"phone-light", 390, 844, "light"},
	{"phone-dark", 390, 844, "dark"},
}

var paths = map[string]string{
	"overview": "/", "problems": "/problems", "namespaces": "/namespaces", "consents": "/consents", "plan": "/plan?rule=clusterprojection/base",
	"rule": "/rules/clusterprojection/base", "rule-of-secret": "/rules/clusterprojection/ca", "foreign": "/rules/clusterprojection/base/in/web-040",
	"missing": "/rules/clusterprojection/paused/in/legacy-00", "namespace": "/namespaces/web-001", "failed-namespace": "/namespaces/legacy-01",
	"clusters": "/clusters", "cluster": "/clusters/eu-1",
	"source": "/objects/configmap/platform/app-config", "secret": "/objects/secret/platform/ca", "lost": "/nothing",
}

// violation is what axe says of a page.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

func TestPagesAreAccessibleAndFit(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("testdata", "axe.min.js"))
	require.NoError(t, err)
	screenshots := filepath.Join(env.Root(), "dist", "screenshots")
	require.NoError(t, os.MkdirAll(screenshots, 0o750))
	ctx, address := browse(t), serve(t)
	base, _, _ := strings.Cut(address, "/?")
	var location string
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(address), chromedp.Location(&location)))
	assert.Equal(t, base+"/", location, "the token has left the address")
	for _, device := range devices {
		media := emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: device.theme}})
		require.NoError(t, chromedp.Run(ctx, chromedp.EmulateViewport(device.width, device.height), media))
		for name, path := range paths {
			var violations []violation
			var isWider bool
			var text string
			var picture []byte
			require.NoError(t, chromedp.Run(ctx,
				chromedp.Navigate(base+path), chromedp.WaitVisible("main h1"),
				chromedp.Evaluate("document.documentElement.scrollWidth > window.innerWidth", &isWider),
				chromedp.OuterHTML("html", &text),
				chromedp.FullScreenshot(&picture, 100),
				chromedp.Evaluate(string(axe)+"; 0", nil),
				chromedp.Evaluate(`axe.run().then(found => found.violations.map(v => ({id: v.id, impact: v.impact, help: v.help,
					nodes: v.nodes.map(n => ({html: n.html, failureSummary: n.failureSummary}))})))`, &violations,
					func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
			), "%s on %s", name, device.name)
			assert.Falsef(t, isWider, "%s is wider than %s", name, device.name)
			assert.NotContains(t, text, secret)
			assert.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte(secret)))
			for _, found := range violations {
				assert.Failf(t, "not accessible", "%s on %s: %s (%s): %s: %+v", name, device.name, found.ID, found.Impact, found.Help, found.Nodes)
			}
			require.NoError(t, os.WriteFile(filepath.Join(screenshots, name+"-"+device.name+".png"), picture, 0o600))
		}
	}
}

func TestAxeIsAsItWasPublished(t *testing.T) {
	sums, err := os.ReadFile(filepath.Join("testdata", "SHA256SUMS"))
	require.NoError(t, err)
	for line := range strings.Lines(string(sums)) {
		fields := strings.Fields(line)
		content, err := os.ReadFile(filepath.Join("testdata", fields[1]))
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		assert.Equal(t, fields[0], hex.EncodeToString(sum[:]), fields[1])
	}
}
