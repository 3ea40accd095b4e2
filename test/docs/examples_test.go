package docs_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/docs/markdown"
)

// maxExcused is how many blocks of all documents may be excused from being run.
const maxExcused = 15

// Pages that the other tests need: the operator is installed as one says, and removed as the other says.
const (
	installPage   = "docs/install.md"
	uninstallPage = "docs/upgrade-and-uninstall.md"
)

// TestExamples runs what the documents show, page by page.
func TestExamples(t *testing.T) {
	all := pages(t)
	delete(all, installPage)
	delete(all, uninstallPage)
	delete(all, clustersPage)
	delete(all, publishedPage)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			sweepAfter(t, cluster)
			require.NoError(t, reader.reads(all[name]))
		})
	}
}

// reads does what the page shows, as far as it can be done.
func (r *terminal) reads(page *markdown.Page) error {
	for _, step := range page.Steps {
		if step.NoRun != "" {
			continue
		}
		if err := r.follows(step); err != nil {
			return fmt.Errorf("%s:%d: %w", page.Path, step.Line, err)
		}
	}
	return nil
}

func (r *terminal) follows(step markdown.Step) error {
	switch step.Language {
	case "yaml":
		return r.does("kubectl apply -f -\n", step.Text)
	case "values":
		return r.does("helm template projection "+fromTop("deploy/charts/projection")+" --values -\n", step.Text)
	case "run":
		return r.does(step.Text, "")
	case "sh":
		script, err := toRun(step.Text)
		return errors.Join(err, r.does(script, ""))
	case "console":
		for _, exchange := range exchanges(step.Text) {
			if err := r.expects(exchange); err != nil {
				return err
			}
		}
		return nil
	case "go":
		return inGoFile(step.Text)
	case "mermaid", "text":
		return nil
	default:
		return fmt.Errorf("nobody knows how to run a block of %q", step.Language)
	}
}

// TestBlocksThatAreNotRunAreListed compares the blocks that are excused with the committed list, so that none is added unseen.
func TestBlocksThatAreNotRunAreListed(t *testing.T) {
	var excused []string
	for name, page := range pages(t) {
		for _, step := range page.Steps {
			if step.NoRun != "" {
				assert.Greater(t, len(strings.Fields(step.NoRun)), 2, "%s:%d: say why", name, step.Line)
				excused = append(excused, name+": "+step.NoRun)
			}
		}
	}
	slices.Sort(excused)
	content, err := os.ReadFile(filepath.Join("testdata", "not-run.txt"))
	require.NoError(t, err)
	assert.Equal(t, strings.Split(strings.TrimSpace(string(content)), "\n"), excused, "testdata/not-run.txt lists other blocks")
	assert.LessOrEqual(t, len(excused), maxExcused)
}

// Lines that call make or the go command, with variables before them or not.
var (
	target     = regexp.MustCompile(`^(?:[A-Z_]+=\S* )*make\b(?: ([a-z][a-z0-9-]*))?`)
	goCommand  = regexp.MustCompile(`^(?:[A-Z_]+=\S* )*go [a-z]+(?: (\./[^\s.]+))?`)
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
)

// toRun returns the script without lines that build or test this tree, and without those of the installation, which has
// been done. What they name has to exist.
func toRun(script string) (string, error) {
	var rest strings.Builder
	for line := range strings.Lines(unbroken(script)) {
		targeted, tested := target.FindStringSubmatch(line), goCommand.FindStringSubmatch(line)
		switch {
		case targeted != nil:
			if err := hasTarget(targeted[1]); err != nil {
				return "", err
			}
		case tested != nil:
			if _, err := os.Stat(fromTop(tested[1])); err != nil {
				return "", err
			}
		case strings.HasPrefix(line, "helm install ") && installed:
			page, err := os.ReadFile(fromTop(installPage))
			if err != nil || !strings.Contains(unbroken(string(page)), "\n"+line) {
				return "", fmt.Errorf("%s installs in another way: %s(%w)", installPage, line, err)
			}
		default:
			rest.WriteString(line)
		}
	}
	return rest.String(), nil
}

// unbroken puts a command into one line.
func unbroken(script string) string { return strings.ReplaceAll(script, "\\\n", "") }

func hasTarget(name string) error {
	makefile, err := os.ReadFile(fromTop("Makefile"))
	if err != nil {
		return err
	}
	for _, match := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
		if name == "" || match[1] == name {
			return nil
		}
	}
	return fmt.Errorf("the Makefile has no target %q", name)
}
