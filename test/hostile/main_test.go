package hostile_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
)

const (
	// operatorUser is who the manager is to the API server, and in its audit log.
	operatorUser = "projection-operator"
	// servedBy is the label of rules that another manager serves.
	servedBy = "served-by"
	// asManager has this program be a manager.
	asManager = "PROJECTION_TEST_AS_MANAGER"
)

var (
	cluster  *env.Environment
	operator *manager
)

func TestMain(m *testing.M) {
	if os.Getenv(asManager) != "" {
		if err := app.Main(ctrl.SetupSignalHandler(), "test", os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctrl.SetLogger(logr.Discard())
	os.Exit(env.Main(withManager{m}, &cluster, env.WithCRDs(env.CRDs(), "testdata/crds"), env.WithControllerManager()))
}

// withManager runs the tests beside one manager that lives as long as they do.
type withManager struct{ tests *testing.M }

func (w withManager) Run() int {
	logs, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return complain("The tests need a place for logs:", err)
	}
	defer func() { _ = os.RemoveAll(logs) }() // what stays in the temporary directory harms nobody
	identity, err := cluster.KubeConfigFor(operatorUser, "system:masters")
	if err != nil {
		return complain("The manager needs an identity:", err)
	}
	if operator, err = startManager(logs, identity, "--watch-label-selector=!"+servedBy); err != nil {
		return complain("The tests need a manager:", err)
	}
	code := w.tests.Run()
	if err := operator.stop(); err != nil {
		code = complain("The manager did not end cleanly:", err)
	}
	if said := operator.said(); strings.Contains(said, canaryPrefix) {
		code = complain("The log tells a secret.")
	}
	return code
}

func complain(words ...any) int {
	fmt.Fprintln(os.Stderr, words...)
	return 1
}
