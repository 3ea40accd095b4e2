package app_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	v1 "shop.example.com/webapp/api/v1"

	"projection.sh/operator/test/env"
)

var (
	cluster *env.Environment
	scheme  = runtime.NewScheme()
)

func TestMain(m *testing.M) {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	flag.Parse()
	if err := loadMatrix(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(matrix.AssertComplete(env.Main(m, &cluster, env.WithCRDs("../crd"))))
}
