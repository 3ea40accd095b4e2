package hostile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"projection.sh/operator/test/env"
	"projection.sh/operator/test/env/manager"
)

const (
	// operatorUser is who the manager is to the API server, and in its audit log.
	operatorUser = "projection-operator"
	// servedBy is the label of rules that another manager serves.
	servedBy = "served-by"
)

var (
	cluster  *env.Environment
	operator *manager.Process
)

func TestMain(m *testing.M) {
	manager.Serve()
	env.Log(false)
	os.Exit(run(m))
}

// run runs the tests beside one manager that lives as long as they do, and reads what it has logged.
func run(m *testing.M) int {
	logs, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return complain("The tests need a place for logs:", err)
	}
	defer func() { _ = os.RemoveAll(logs) }() // what stays in the temporary directory harms nobody
	start := func() (*manager.Process, error) {
		identity, err := cluster.KubeConfigFor(operatorUser, "system:masters")
		if err == nil {
			operator, err = startManager(logs, identity, "--watch-label-selector=!"+servedBy)
		}
		return operator, err
	}
	code := manager.Main(m, &cluster, start,
		env.WithCRDs(env.CRDs(), "testdata/crds"), env.WithControllerManager())
	if operator != nil && strings.Contains(operator.Log(), canaryPrefix) {
		return complain("The log tells a secret.")
	}
	return code
}

// startManager runs a manager with that identity, and returns when it is ready.
func startManager(logs, kubeconfig string, flags ...string) (*manager.Process, error) {
	flags = append([]string{
		"--kubeconfig=" + kubeconfig, "--leader-elect=false", "--zap-log-level=10", "--requeue-interval=2s", "--metrics-secure=false",
	}, flags...)
	return manager.StartReadyProcess(context.Background(), manager.Self, filepath.Join(logs, filepath.Base(kubeconfig)+".log"), flags...)
}

func complain(words ...any) int {
	fmt.Fprintln(os.Stderr, words...)
	return 1
}
