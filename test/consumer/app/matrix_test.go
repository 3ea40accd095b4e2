package app_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	v1 "shop.example.com/webapp/api/v1"
	"shop.example.com/webapp/app"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/golden"
)

var update = flag.Bool("update", false, "write the golden files")

// fixtures are apps, and the mutations of the component web that are for them whatever their version is.
var fixtures = map[string]struct {
	change func(*v1.WebAppSpec)
	firing []string
}{
	"minimal":    {func(*v1.WebAppSpec) {}, []string{"replicas"}},
	"tracing":    {func(s *v1.WebAppSpec) { s.Tracing = true }, []string{"replicas", "tracing-sidecar"}},
	"autoscaled": {autoscaled, nil},
	"everything": {
		func(s *v1.WebAppSpec) {
			s.Tracing = true
			withCredentials(s)
			s.ExtraEnv = []corev1.EnvVar{{Name: "LEVEL", Value: "debug"}}
		},
		[]string{"replicas", "tracing-sidecar", "auth-env", "extra-env"},
	},
}

func autoscaled(s *v1.WebAppSpec) {
	s.Autoscaling = &v1.Autoscaling{MinReplicas: 2, MaxReplicas: 6, CPUPercent: 70}
}

func withCredentials(s *v1.WebAppSpec) {
	s.CredentialsRef = &corev1.LocalObjectReference{Name: "db"}
}

// build returns the components of an app in the namespace shop.
func build(t *testing.T, changes ...func(*v1.WebAppSpec)) app.Components {
	t.Helper()
	built, err := app.Build(webApp("shop", changes...), app.Options{MonitoringServed: true})
	require.NoError(t, err)
	return built
}

func version(version string) func(*v1.WebAppSpec) {
	return func(s *v1.WebAppSpec) { s.Version = version }
}

func TestEachMutationIsForTheVersionsThatNeedIt(t *testing.T) {
	always := []string{"image", "config-mount", "checksum"}
	byVersion := map[string][]string{
		"1.8.0": {"compat-v1-port", "compat-v1-service-port"},
		"1.9.0": {"compat-v1-port", "compat-v1-service-port"},
		"2.0.0": {"json-logs"},
		"2.1.0": {"json-logs"},
	}
	for name, fixture := range fixtures {
		registered := map[string]bool{}
		for at, gated := range byVersion {
			web := build(t, version(at), fixture.change).Web
			firing, err := web.FiringSet()
			require.NoError(t, err)
			want := append(append(append([]string{}, always...), gated...), fixture.firing...)
			assert.ElementsMatch(t, want, firing, "%s at %s", name, at)
			for _, mutation := range web.RegisteredMutations() {
				registered[mutation] = true
			}
		}
		assert.Len(t, registered, 10, "every mutation is in a fixture")
	}
}

func TestWhatIsApplied(t *testing.T) {
	for name, fixture := range fixtures {
		for _, at := range []string{"1.9.0", "2.1.0"} {
			built := build(t, version(at), fixture.change)
			for part, comp := range map[string]*component.Component{
				"configuration": built.Configuration, "migration": built.Migration, "web": built.Web, "monitoring": built.Monitoring,
			} {
				golden.AssertComponentYAML(t, filepath.Join("testdata", name, at, part+".yaml"), comp,
					golden.WithScheme(scheme), golden.Update(*update))
			}
		}
	}
}
