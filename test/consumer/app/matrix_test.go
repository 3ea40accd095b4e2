package app_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/app"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/golden"
	"projection.sh/operator/primitives/goldengen"
)

var (
	update = flag.Bool("update", false, "write the golden files")
	matrix *goldengen.Generator[v1.WebAppSpec]
)

// loadMatrix reads which apps are built in which versions, and which mutations of the component web are for them.
func loadMatrix() error {
	config, err := goldengen.LoadMatrix(filepath.Join("testdata", "matrix.yaml"),
		func() v1.WebAppSpec { return webApp("shop").Spec },
		func(version string, spec v1.WebAppSpec) (goldengen.Unit, error) {
			built, err := app.Build(webApp("shop", func(s *v1.WebAppSpec) {
				*s = spec
				s.Version = version
			}), app.Options{})
			if err != nil {
				return nil, err
			}
			return goldengen.Component(built.Web, scheme), nil
		})
	matrix = goldengen.New(config).WithUpdate(*update)
	return err
}

func TestEachMutationIsForTheVersionsThatNeedIt(t *testing.T) { matrix.Run(t) }

// TestOtherComponents shows what they apply for an app that asks for everything.
func TestOtherComponents(t *testing.T) {
	for _, at := range []string{"1.9.0", "2.1.0"} {
		built, err := app.Build(webApp("shop", version(at), everything), app.Options{MonitoringServed: true})
		require.NoError(t, err)
		for part, comp := range map[string]*component.Component{
			"configuration": built.Configuration, "migration": built.Migration, "monitoring": built.Monitoring,
		} {
			golden.AssertComponentYAML(t, filepath.Join("testdata", part, at+".yaml"), comp, golden.WithScheme(scheme), golden.Update(*update))
		}
	}
}

func version(version string) func(*v1.WebAppSpec) {
	return func(s *v1.WebAppSpec) { s.Version = version }
}

func autoscaled(s *v1.WebAppSpec) {
	s.Autoscaling = &v1.Autoscaling{MinReplicas: 2, MaxReplicas: 6, CPUPercent: 70}
}

func withCredentials(s *v1.WebAppSpec) {
	s.CredentialsRef = &corev1.LocalObjectReference{Name: "db"}
}

func everything(s *v1.WebAppSpec) {
	withCredentials(s)
	s.Tracing = true
	s.ExtraEnv = []corev1.EnvVar{{Name: "LEVEL", Value: "debug"}}
}
