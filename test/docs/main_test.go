package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/docs/markdown"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

// operatorUser is who the manager is to the API server.
const operatorUser = "system:serviceaccount:projection-system:projection"

// narrow is the label of the rules that the common manager leaves to another one.
const narrow = "narrow"

var (
	cluster *env.Environment
	// reader does what the documents show.
	reader *terminal
	// installed tells whether the operator is.
	installed bool
	// operator is the manager that serves all rules but narrow ones.
	operator *manager.InProcess
)

func TestMain(m *testing.M) {
	os.Exit(env.Main(withOperator{m}, &cluster, env.WithControllerManager()))
}

// withOperator runs the tests between the installation and the removal of the operator, as the documents have them. The
// manager has the rights that the installation gave to its service account.
type withOperator struct{ tests *testing.M }

func (w withOperator) Run() int {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	home, err := os.MkdirTemp("", "docs-")
	if err != nil {
		return complain("a directory is needed", err)
	}
	defer os.RemoveAll(home) //nolint:errcheck // nobody misses what stays
	if reader, err = newTerminal(home); err != nil {
		return complain("helm and the plugin of kubectl are needed", err)
	}
	if err := reader.readsFile(installPage); err != nil {
		return complain("the installation failed", err)
	}
	installed = true
	if err := restartOperator(leavesNarrow); err != nil {
		return complain("the manager is needed", err)
	}
	code := w.tests.Run()
	if err := reader.readsFile(uninstallPage); err != nil {
		code = complain("the removal failed", err)
	}
	if err := operator.Stop(); err != nil {
		code = complain("the manager did not end cleanly", err)
	}
	return code
}

// leavesNarrow has an operator leave narrow rules to another one.
func leavesNarrow(o *app.Options) { o.WatchLabelSelector = "!" + narrow }

// restartOperator ends the operator, if there is one, and runs another one.
func restartOperator(adapt func(*app.Options)) error {
	if operator != nil {
		if err := operator.Stop(); err != nil {
			return err
		}
	}
	config, err := cluster.ConfigFor(operatorUser)
	if err == nil {
		operator = manager.Start(config, adapt)
	}
	return err
}

func complain(what string, err error) int {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	return 1
}

func (r *terminal) readsFile(name string) error {
	page, err := markdown.Read(fromTop(name))
	if err != nil {
		return err
	}
	return r.reads(page)
}

// pages returns every document, by its path from the top of the tree. More patterns add what lies elsewhere.
func pages(t *testing.T, more ...string) map[string]*markdown.Page {
	t.Helper()
	found := map[string]*markdown.Page{}
	for _, pattern := range append([]string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md"}, more...) {
		paths, err := filepath.Glob(filepath.Join(env.Root(), pattern))
		require.NoError(t, err)
		for _, path := range paths {
			page, err := markdown.Read(path)
			require.NoError(t, err)
			name, err := filepath.Rel(env.Root(), path)
			require.NoError(t, err)
			found[name] = page
		}
	}
	require.Contains(t, found, "README.md")
	return found
}
