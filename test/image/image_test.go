package image_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env"
)

const stamp = "v9.8.7-stamped-by-the-test"

func TestBuildStageMakesAProgramThatNeedsNothing(t *testing.T) {
	dir := buildContext(t)
	_, stages := dockerfile(t)
	require.Equal(t, []string{"/src"}, stages[0].every("WORKDIR"))
	require.Equal(t, []string{". ."}, stages[0].every("COPY"))
	out, err := build(t, dir, runtime.GOARCH)
	require.NoError(t, err, out)

	program := filepath.Join(dir, "bin", "manager")
	file, err := elf.Open(program)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	for _, segment := range file.Progs {
		assert.NotEqual(t, elf.PT_INTERP, segment.Type, "the program needs a loader")
	}
	libraries, err := file.ImportedLibraries()
	if err != nil {
		require.ErrorIs(t, err, elf.ErrNoSymbols)
	}
	assert.Empty(t, libraries)

	start := exec.CommandContext(t.Context(), program, "--help")
	start.Env = []string{}
	help, err := start.CombinedOutput()
	require.NoError(t, err, string(help))
	assert.Contains(t, string(help), "-source-mode")
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	assert.Contains(t, string(content), stamp)
}

func TestBuildStageBuildsForThePlatformThatIsAskedFor(t *testing.T) {
	out, err := build(t, buildContext(t), "abacus")
	require.Error(t, err)
	assert.Contains(t, out, "unsupported GOOS/GOARCH pair linux/abacus")
}

// build runs the commands of the build stage in the directory, as a shell does.
func build(t *testing.T, dir, arch string) (string, error) {
	t.Helper()
	_, stages := dockerfile(t)
	var all strings.Builder
	for _, step := range stages[0].steps {
		if step.name != "RUN" {
			continue
		}
		command := exec.CommandContext(t.Context(), "sh", "-c", step.rest)
		command.Dir = dir
		command.Env = append(os.Environ(), "TARGETOS=linux", "TARGETARCH="+arch, "VERSION="+stamp)
		out, err := command.CombinedOutput()
		all.Write(out)
		if err != nil {
			return all.String(), err
		}
	}
	return all.String(), nil
}

func TestLastStageHoldsTheProgramAndCertificatesOnly(t *testing.T) {
	_, stages := dockerfile(t)
	build, last := stages[0], stages[1]
	assert.Equal(t, "build", build.name)
	assert.Equal(t, "scratch", last.base)
	assert.Equal(t, []string{
		"--from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt",
		"--from=build /src/bin/manager /manager",
	}, last.every("COPY"))
	assert.Empty(t, last.every("RUN"))
	assert.Empty(t, last.every("ADD"))
	assert.Equal(t, []string{`["/manager"]`}, last.every("ENTRYPOINT"))
	require.Len(t, last.every("USER"), 1)
	assert.Regexp(t, `^[1-9]\d*:[1-9]\d*$`, last.every("USER")[0], "runAsNonRoot wants a number")
	labels := strings.Join(last.every("LABEL"), " ")
	for _, name := range []string{"title", "description", "licenses", "version", "revision"} {
		assert.Contains(t, labels, "org.opencontainers.image."+name+"=")
	}
}

func TestImageAndMakeBuildAlike(t *testing.T) {
	_, stages := dockerfile(t)
	list := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", env.Root(), "-n", "build", "VERSION=$${VERSION}")
	made, err := list.Output()
	require.NoError(t, err)
	runs := stages[0].every("RUN")
	require.NotEmpty(t, runs)
	_, command, found := strings.Cut(runs[len(runs)-1], "GOARCH=${TARGETARCH} ")
	require.True(t, found)
	assert.Equal(t, "CGO_ENABLED=0 "+command, strings.TrimSpace(string(made)))
}

func TestImageIsBuiltWithTheGoOfTheModule(t *testing.T) {
	arguments, _ := dockerfile(t)
	module, err := os.ReadFile(filepath.Join(env.Root(), "go.mod"))
	require.NoError(t, err)
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(module))
	require.Len(t, version, 2)
	assert.Contains(t, arguments, "GO_VERSION="+version[1])
}
