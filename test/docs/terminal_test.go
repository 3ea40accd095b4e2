package docs_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"projection.sh/operator/test/env"
)

// terminal is where a reader types what a document shows.
type terminal struct {
	environment []string
	// directory is where scripts run.
	directory string
	// addresses replaces addresses of the documents.
	addresses *strings.Replacer
}

// newTerminal returns a terminal with kubectl, its plugin and helm, where helm keeps its files in the directory.
func newTerminal(home string) (*terminal, error) {
	helm, err := env.Tool("helm")
	if err != nil {
		return nil, err
	}
	plugin, err := env.Plugin()
	if err != nil {
		return nil, err
	}
	path := strings.Join([]string{cluster.Assets, filepath.Dir(helm), filepath.Dir(plugin), os.Getenv("PATH")}, string(os.PathListSeparator))
	return &terminal{directory: env.Root(), addresses: strings.NewReplacer(), environment: append(os.Environ(), "PATH="+path, "KUBECONFIG="+cluster.KubeConfig,
		"HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)}, nil
}

// types runs a script, and returns what it prints.
func (r *terminal) types(script, input string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "bash", "-euo", "pipefail", "-c", r.addresses.Replace(script))
	cmd.Dir, cmd.Env, cmd.Stdin = r.directory, r.environment, strings.NewReader(input)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// does runs a script, which has to succeed.
func (r *terminal) does(script, input string) error {
	output, err := r.types(script, input)
	if err != nil {
		return fmt.Errorf("%s%s%w", script, output, err)
	}
	return nil
}

// exchange is a command, and what a document says that it prints.
type exchange struct{ command, output string }

func exchanges(text string) []exchange {
	var found []exchange
	continued := false
	for line := range strings.Lines(text) {
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case begins || len(found) == 0:
			found = append(found, exchange{command: command})
		case continued:
			found[len(found)-1].command += line
		default:
			found[len(found)-1].output += line
		}
		continued = (begins || continued) && strings.HasSuffix(line, "\\\n")
	}
	return found
}

// reading is a command that changes nothing, so that it can be repeated until it prints what is expected.
var reading = regexp.MustCompile(`^kubectl( --context=\S+)?( -n \S+)? (get|describe|events|explain|auth|api-resources|projection (status|tree|why|plan|doctor)) `)

// expects runs the command of the exchange and compares. A command that shows an error may fail.
func (r *terminal) expects(e exchange) error {
	output, err := r.types(e.command, "")
	for began := time.Now(); reading.MatchString(e.command) && !alike(e.output, output) && time.Since(began) < timeout; {
		output, err = r.types(e.command, "")
	}
	if !alike(e.output, output) {
		return fmt.Errorf("%sprints (error: %w)\n%s\nand not, as the document says,\n%s", e.command, err, output, e.output)
	}
	return nil
}

func fromTop(path string) string { return filepath.Join(env.Root(), path) }
