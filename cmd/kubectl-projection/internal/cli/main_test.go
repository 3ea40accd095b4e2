package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"projection.sh/operator/cmd/kubectl-projection/internal/cli"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

var cluster *env.Environment

// operator runs beside the tests, except those that write the status of rules in its place.
var operator running

// running is the manager that runs at present.
type running struct{ *manager.InProcess }

func (r *running) start(ctx context.Context) (err error) {
	r.InProcess, err = manager.StartReady(ctx, cluster.Config)
	return err
}

func TestMain(m *testing.M) {
	env.Log(false)
	start := func() (*running, error) {
		err := operator.start(context.Background())
		if err == nil {
			err = populate(context.Background())
		}
		return &operator, err
	}
	os.Exit(manager.Main(m, &cluster, start, env.WithCRDs(env.CRDs())))
}

// withoutOperator stops the operator until the end of the test, so that nobody else writes the status of rules.
func withoutOperator(t *testing.T) {
	t.Helper()
	require.NoError(t, operator.Stop())
	t.Cleanup(func() { require.NoError(t, operator.start(context.Background())) })
}

// populate creates the objects of testdata/world.yaml, and returns when the operator has reported each rule.
func populate(ctx context.Context) error {
	said, err := cluster.Kubectl(ctx, "apply", "--server-side", "-f", filepath.Join("testdata", "world.yaml"))
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	for status, rules := range map[string][]string{
		"true":  {"clusterprojection/ca", "clusterprojection/dashboards", "clusterprojection/panels", "clusterprojection/merged"},
		"false": {"clusterprojection/base", "clusterprojection/listed", "clusterprojection/paused"},
	} {
		err = errors.Join(err, wait(ctx, status, "", rules...))
	}
	return errors.Join(err, wait(ctx, "true", "tenant-a", "projection/app-config", "projection/layered"),
		wait(ctx, "false", "tenant-a", "projection/ca", "projection/private", "projection/withdrawn", "projection/gone"))
}

func wait(ctx context.Context, status, namespace string, rules ...string) error {
	args := append([]string{"wait", "--for=condition=Ready=" + status, "--timeout=60s"}, rules...)
	if namespace != "" {
		args = append(args, "-n", namespace)
	}
	said, err := cluster.Kubectl(ctx, args...)
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}

// run runs the plugin, and returns what it prints and its exit code.
func run(t *testing.T, args ...string) (printed string, code int) {
	t.Helper()
	var out bytes.Buffer
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}
	code = cli.New("v0.1.0", streams).Run(t.Context(), append(args, "--kubeconfig", cluster.KubeConfig, "--cache-dir", t.TempDir()))
	return out.String(), code
}

// follow runs the plugin until the context ends, and returns the lines that it prints, and its exit code when it has ended.
func follow(ctx context.Context, t *testing.T, args ...string) (printed *bufio.Scanner, code <-chan int) {
	t.Helper()
	read, write := io.Pipe()
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: write, ErrOut: write}
	ended := make(chan int, 1)
	args = append(args, "--kubeconfig", cluster.KubeConfig, "--cache-dir", t.TempDir())
	go func() {
		ended <- cli.New("v0.1.0", streams).Run(ctx, args)
		_ = write.Close() // it cannot fail
	}()
	return bufio.NewScanner(read), ended
}

// awaitLine returns the next line that contains the text.
func awaitLine(t *testing.T, printed *bufio.Scanner, text string) string {
	t.Helper()
	var seen []string
	for printed.Scan() {
		if seen = append(seen, printed.Text()); strings.Contains(printed.Text(), text) {
			return printed.Text()
		}
	}
	require.Failf(t, "it was not printed", "%q is not among:\n%s", text, strings.Join(seen, "\n"))
	return ""
}

// ended reads what is printed until the command has ended, and returns its exit code.
func ended(printed *bufio.Scanner, code <-chan int) int {
	for printed.Scan() { // it cannot end while nobody reads
		continue
	}
	return <-code
}

// The parts of the output that differ each time.
var (
	ages  = regexp.MustCompile(`\b(\d+d)?(\d+h)?(\d+m)?\d+[smh]( ago)?\b *`)
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	uids  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	hash  = regexp.MustCompile(`\b[0-9a-f]{32}\b`)
	gos   = regexp.MustCompile(`go1\.\d+(\.\d+)?`)
)

func alike(printed string) string {
	printed = times.ReplaceAllString(printed, "<time>")
	printed = uids.ReplaceAllString(printed, "<uid>")
	printed = hash.ReplaceAllString(printed, "<hash>")
	printed = gos.ReplaceAllString(printed, "go1.x")
	return ages.ReplaceAllString(printed, "<age> ")
}

// golden runs the commands of a transcript, and compares it.
func golden(t *testing.T, name string, commands ...string) {
	t.Helper()
	var transcript strings.Builder
	for _, command := range commands {
		printed, code := run(t, strings.Fields(command)...)
		assert.NotContains(t, printed, "never printed", "the value of a Secret")
		fmt.Fprintf(&transcript, "$ kubectl projection %s\n%s", command, alike(printed))
		if code != 0 {
			fmt.Fprintf(&transcript, "exit code %d\n", code)
		}
		transcript.WriteString("\n")
	}
	file := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(transcript.String()), 0o600))
	}
	wanted, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(wanted), transcript.String())
}
