package app_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/test/env"
)

var (
	scheme = runtime.NewScheme()
	// running is nil until a test has needed the control plane.
	running *env.Environment
)

// start starts the control plane when it is called first: most tests of the objects need none.
var start = sync.OnceValue(func() (err error) {
	running, err = env.Start(env.WithCRDs("../crd"))
	return err
})

func cluster(t *testing.T) *rest.Config {
	t.Helper()
	require.NoError(t, start(), "the test needs a control plane")
	return running.Config
}

func TestMain(m *testing.M) {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	flag.Parse()
	if err := loadMatrix(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := matrix.AssertComplete(m.Run())
	if running != nil {
		if err := running.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "The control plane did not end cleanly:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
