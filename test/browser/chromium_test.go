package browser_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var served = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=\w+`)

// serve runs the command ui until the test ends, and returns the address that it prints.
func serve(t *testing.T) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), plugin, "ui", "--kubeconfig", cluster.KubeConfig, "--cache-dir", t.TempDir())
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	printed, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	line, err := bufio.NewReader(printed).ReadString('\n')
	require.NoError(t, err)
	t.Cleanup(func() { _ = command.Wait() }) // it was interrupted
	address := served.FindString(line)
	require.NotEmpty(t, address, line)
	return address
}

// browse starts Chromium, and reports everything that a page complains about.
func browse(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.Flag("no-sandbox", os.Geteuid() == 0), chromedp.Flag("disable-dev-shm-usage", true))
	if program := os.Getenv("CHROMIUM"); program != "" {
		options = append(options, chromedp.ExecPath(program))
	}
	starting, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, leave := chromedp.NewContext(starting)
	t.Cleanup(leave)
	ctx, end := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(end)
	chromedp.ListenTarget(ctx, func(event any) {
		switch event := event.(type) {
		case *log.EventEntryAdded:
			if event.Entry.Source == log.SourceNetwork && strings.Contains(event.Entry.Text, "404 (Not Found)") {
				return // a page of something that was deleted
			}
			assert.NotEqual(t, log.LevelError, event.Entry.Level, "%s %s", event.Entry.Text, event.Entry.URL)
		case *runtime.EventExceptionThrown:
			assert.Fail(t, "a script has failed", event.ExceptionDetails.Error())
		}
	})
	return ctx
}
