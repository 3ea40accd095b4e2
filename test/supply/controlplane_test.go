package supply_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeGo says that it runs on linux/amd64, and "builds" a program by noting that it was asked to.
const fakeGo = `#!/bin/sh
case "$1 $2" in
  "env GOOS") echo linux; exit ;;
  "env GOARCH") echo amd64; exit ;;
esac
while [ "$1" != -o ]; do shift; done
echo "echo fresh" > "$2"
chmod +x "$2"
basename "$2" >> "$HOME/built"
`

// fakeProgram says of which version it is, as the program of that name does.
func fakeProgram(name, kubernetes, etcd string) string {
	says := map[string]string{
		"etcd":    "etcd Version: " + etcd + "\nGo Version: go1.36.0",
		"kubectl": "Client Version: v" + kubernetes + "\nKustomize Version: v1.36.0",
	}[name]
	if says == "" {
		says = "Kubernetes v" + kubernetes
	}
	return fmt.Sprintf("#!/bin/sh\ncat <<'END'\n%s\nEND\n", says)
}

var (
	all     = []string{"etcd", "kube-apiserver", "kubectl", "kube-controller-manager"}
	envtest = all[:3]
)

// folder is a directory of fake programs below the home of a test.
type folder struct {
	at, kubernetes, etcd string
	programs             []string
}

const (
	store = ".local/share/kubebuilder-envtest/k8s/"
	path  = "path"
)

func TestControlPlaneIsTakenFromWhereItIs(t *testing.T) {
	tests := map[string]struct {
		folders     []folder
		environment []string
		arguments   []string
		built       []string
		from        map[string]string // the folder of each program that is not built
	}{
		"nothing is there": {built: all},
		"some are enough":  {arguments: []string{"etcd", "kubectl"}, built: []string{"etcd", "kubectl"}},
		"all on the PATH": {
			folders: []folder{{path, "1.36.9", "3.6.1", all}},
			from:    map[string]string{"etcd": path, "kube-apiserver": path, "kubectl": path, "kube-controller-manager": path},
		},
		"one on the PATH": {
			folders: []folder{{path, "1.36.0", "", []string{"kubectl"}}},
			built:   []string{"etcd", "kube-apiserver", "kube-controller-manager"},
			from:    map[string]string{"kubectl": path},
		},
		"of another version on the PATH":    {folders: []folder{{path, "1.35.1", "3.5.21", all}}, built: all},
		"of a version that begins the same": {folders: []folder{{path, "1.360.0", "3.60.0", all}}, built: all},
		"broken on the PATH":                {folders: []folder{{path, "", "", all}}, built: all},
		"the store of setup-envtest": {
			folders: []folder{
				{store + "1.36.2-linux-amd64", "1.36.2", "3.6.8", envtest},
				{store + "1.36.10-linux-amd64", "1.36.10", "3.6.8", envtest},
				{store + "1.36.11-linux-arm64", "1.36.11", "3.6.8", envtest},
				{store + "1.37.0-linux-amd64", "1.37.0", "3.6.8", envtest},
			},
			built: []string{"kube-controller-manager"},
			from: map[string]string{
				"etcd": store + "1.36.10-linux-amd64", "kube-apiserver": store + "1.36.10-linux-amd64", "kubectl": store + "1.36.10-linux-amd64",
			},
		},
		"the store, for the older version": {
			folders: []folder{
				{store + "1.32.0-linux-amd64", "1.32.0", "3.5.16", envtest},
				{store + "1.36.2-linux-amd64", "1.36.2", "3.6.8", envtest},
			},
			environment: []string{"K8S_VERSION=1.32"}, arguments: envtest,
			from: map[string]string{
				"etcd": store + "1.32.0-linux-amd64", "kube-apiserver": store + "1.32.0-linux-amd64", "kubectl": store + "1.32.0-linux-amd64",
			},
		},
		"KUBEBUILDER_ASSETS of whatever version": {
			folders:     []folder{{"mine", "1.30.0", "3.4.0", all}, {path, "1.36.0", "3.6.1", all}},
			environment: []string{"KUBEBUILDER_ASSETS=$HOME/mine"},
			from:        map[string]string{"etcd": "mine", "kube-apiserver": "mine", "kubectl": "mine", "kube-controller-manager": "mine"},
		},
		"KUBEBUILDER_ASSETS by setup-envtest": {
			folders:     []folder{{"mine", "1.36.1", "3.6.1", envtest}},
			environment: []string{"KUBEBUILDER_ASSETS=$HOME/mine"},
			built:       []string{"kube-controller-manager"},
			from:        map[string]string{"etcd": "mine", "kube-apiserver": "mine", "kubectl": "mine"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newHome(t, test.folders...)
			directory, complaint, err := home.build(t, test.environment, test.arguments...)
			require.NoError(t, err, complaint)
			home.hasBuilt(t, test.built)
			for program, at := range test.from {
				target, err := filepath.EvalSymlinks(filepath.Join(directory, program))
				require.NoError(t, err)
				assert.Equal(t, filepath.Join(string(home), at, program), target)
			}
			for _, program := range test.built {
				said, err := exec.CommandContext(t.Context(), "sh", filepath.Join(directory, program)).Output()
				require.NoError(t, err)
				assert.Equal(t, "fresh\n", string(said), program)
			}

			again, complaint, err := home.build(t, test.environment, test.arguments...)
			require.NoError(t, err, complaint)
			assert.Equal(t, directory, again)
			home.hasBuilt(t, test.built)
		})
	}
}

func TestIncompleteAssetsOfAnotherVersionAreRefused(t *testing.T) {
	home := newHome(t, folder{"mine", "1.34.1", "3.6.1", envtest})
	_, complaint, err := home.build(t, []string{"KUBEBUILDER_ASSETS=$HOME/mine"})
	require.Error(t, err)
	assert.Contains(t, complaint, "is not of version 1.36, which is the one that the others would be built for")
	home.hasBuilt(t, nil)
}

func TestVersionThatIsNotPinnedIsRefused(t *testing.T) {
	_, complaint, err := newHome(t).build(t, []string{"K8S_VERSION=1.35"})
	require.Error(t, err)
	assert.Equal(t, "K8S_VERSION=1.35 is not pinned here; set it to 1.36 or 1.32.\n", complaint)
}

// homeOf is the home directory of somebody who has nothing but fakes.
type homeOf string

func newHome(t *testing.T, folders ...folder) homeOf {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tools := filepath.Join(home, "tools")
	require.NoError(t, os.Mkdir(tools, 0o750))
	for tool := range strings.FieldsSeq("awk basename bash cat chmod cksum cut dirname ln mkdir mktemp mv readlink rm sh sort") {
		program, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(program, filepath.Join(tools, tool)))
	}
	put(t, filepath.Join(tools, "go"), fakeGo)
	for _, folder := range folders {
		for _, program := range folder.programs {
			put(t, filepath.Join(home, folder.at, program), fakeProgram(program, folder.kubernetes, folder.etcd))
		}
	}
	return homeOf(home)
}

func put(t *testing.T, path, script string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
}

// build runs build.sh there, and returns the directory that it prints and what it says.
func (h homeOf) build(t *testing.T, environment []string, arguments ...string) (directory, complaint string, err error) {
	t.Helper()
	var out, said strings.Builder
	command := exec.CommandContext(t.Context(), fromTop("test/controlplane/build.sh"), arguments...)
	command.Env = []string{"HOME=" + string(h), "PATH=" + filepath.Join(string(h), path) + ":" + filepath.Join(string(h), "tools")}
	for _, variable := range environment {
		command.Env = append(command.Env, strings.ReplaceAll(variable, "$HOME", string(h)))
	}
	command.Stdout, command.Stderr = &out, &said
	err = command.Run()
	return strings.TrimSpace(out.String()), said.String(), err
}

func (h homeOf) hasBuilt(t *testing.T, programs []string) {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(string(h), "built"))
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	assert.ElementsMatch(t, programs, strings.Fields(string(log)))
}
