package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

func TestPagesFollowChanges(t *testing.T) {
	ctx, address := browse(t), serve(t)
	base, _, _ := strings.Cut(address, "/?")
	rule := `document.querySelector("main").textContent.includes("ClusterProjection later")`
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(address), chromedp.WaitVisible("#q"), chromedp.SendKeys("#q", "typed"),
		until(`document.querySelector("#live").textContent === "The page follows changes."`, new(bool))))
	kubectl(t, "label", "namespace/legacy-02", "team=later")
	file := filepath.Join(t.TempDir(), "later.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: later}
spec:
  source: {kind: ConfigMap, namespace: platform, name: app-config}
  destination: {namespaceSelector: {matchLabels: {team: later}}, name: later}
`), 0o600))
	kubectl(t, "apply", "-f", file)
	var isThere bool
	var typed, focused string
	require.NoError(t, chromedp.Run(ctx,
		until(rule, &isThere),
		chromedp.Value("#q", &typed), chromedp.Evaluate("document.activeElement.id", &focused),
	))
	assert.True(t, isThere)
	assert.Equal(t, "typed", typed, "what somebody types stays")
	assert.Equal(t, "q", focused)
	var before string
	require.NoError(t, chromedp.Run(ctx, chromedp.KeyEvent("\t"), chromedp.Text("#time", &before)))
	kubectl(t, "label", "namespace/legacy-04", "team=nothing")
	require.NoError(t, chromedp.Run(ctx, until(fmt.Sprintf(`document.querySelector("#time").textContent !== %q`, before), &isThere),
		chromedp.Value("#q", &typed), chromedp.Evaluate("document.activeElement.tagName", &focused)))
	assert.Equal(t, "typed", typed, "although the focus is elsewhere")
	assert.Equal(t, "BUTTON", focused)

	progress := `document.querySelector(".progress").textContent.includes("2 of 2 copies")`
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(base+"/rules/clusterprojection/later"), chromedp.WaitVisible(".progress")))
	kubectl(t, "label", "namespace/legacy-03", "team=later")
	require.NoError(t, chromedp.Run(ctx, until(progress, &isThere)))

	title := `document.querySelector("h1").textContent.includes(%q)`
	kubectl(t, "delete", "clusterprojection/later")
	require.NoError(t, chromedp.Run(ctx, until(fmt.Sprintf(title, "Not found"), &isThere)))
	kubectl(t, "apply", "-f", file)
	require.NoError(t, chromedp.Run(ctx, until(fmt.Sprintf(title, "ClusterProjection later"), &isThere)))
}

func TestPlanIsAskedForByTheKeyboard(t *testing.T) {
	ctx, address := browse(t), serve(t)
	base, _, _ := strings.Cut(address, "/?")
	var first, title string
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(address), chromedp.WaitVisible("main h1"), chromedp.KeyEvent("\t"),
		chromedp.Evaluate("document.activeElement.textContent", &first)))
	assert.Equal(t, "Skip to the content", first)
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(base+"/plan?rule=clusterprojection/base"), chromedp.WaitVisible("#field-selector"),
		chromedp.SendKeys("#field-selector", "team=none\r"), chromedp.WaitVisible("main .groups"), chromedp.Text("h1", &title)))
	assert.Equal(t, "Plan of ClusterProjection base", title)
	var picture []byte
	require.NoError(t, chromedp.Run(ctx, chromedp.FullScreenshot(&picture, 100),
		chromedp.Click(`button[value="delete"]`), chromedp.WaitVisible(`button[value="delete"][aria-pressed]`)))
	require.NoError(t, os.WriteFile(filepath.Join(env.Root(), "dist", "screenshots", "planned.png"), picture, 0o600))
	assert.Contains(t, kubectl(t, "get", "clusterprojection/base", "-o", "jsonpath={.spec.destination}"), `"team":"web"`)
}

func TestRateIsPolledOnlyWhileThereIsOne(t *testing.T) {
	ctx, address := browse(t), serve(t)
	base, _, _ := strings.Cut(address, "/?")
	file := filepath.Join(t.TempDir(), "slow.yaml")
	wants := func(isSuspended bool, namespaces string) {
		require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: slow}
spec:
  source: {kind: ConfigMap, namespace: platform, name: app-config}
  destination: {namespaces: [%s], name: slow}
  suspend: %t
`, namespaces, isSuspended), 0o600))
		kubectl(t, "apply", "-f", file)
	}
	label := func(has string) chromedp.Action {
		return until(fmt.Sprintf(`document.querySelector(".progress")?.textContent.includes(%q)`, has), new(bool))
	}
	wants(true, "legacy-05, legacy-06, legacy-07")
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate(address), chromedp.WaitVisible("main h1"),
		chromedp.Navigate(base+"/rules/clusterprojection/slow"), label("0 of 3 copies")))
	wants(false, "legacy-05, legacy-06")
	require.NoError(t, chromedp.Run(ctx, label("2 of 2 copies")))
	wants(true, "legacy-05, legacy-06, legacy-07")
	require.NoError(t, chromedp.Run(ctx, label("/s")))
	wants(false, "legacy-05, legacy-06, legacy-07")
	require.NoError(t, chromedp.Run(ctx, label("3 of 3 copies")))
	isNested := chromedp.Poll(`document.querySelectorAll("main").length !== 1`, new(bool), chromedp.WithPollingTimeout(4*time.Second))
	assert.ErrorIs(t, chromedp.Run(ctx, isNested), chromedp.ErrPollingTimeout, "the page is not within itself")
}

// until waits for the page to be as the expression says.
func until(expression string, is *bool) chromedp.Action {
	return chromedp.Poll(expression, is, chromedp.WithPollingInterval(200*time.Millisecond), chromedp.WithPollingTimeout(time.Minute))
}
