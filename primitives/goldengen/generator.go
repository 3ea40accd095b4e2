package goldengen

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// Generator runs a matrix of versions and fixtures.
type Generator[T any] struct {
	config   Config[T]
	update   bool
	byOutput bool
}

// New returns a generator, which Run and AssertComplete validate.
func New[T any](cfg Config[T]) *Generator[T] { return &Generator[T]{config: cfg} }

// WithUpdate has Run write the golden files and the manifest instead of comparing them, and remove golden files that
// belong to no regime or no fixture any more. It changes the receiver and returns it.
func (g *Generator[T]) WithUpdate(update bool) *Generator[T] {
	g.update = update
	return g
}

// ByOutput has versions in which the same mutations fire be one regime only if they are also rendered alike. It changes
// the receiver and returns it.
//
// Example: a mutation without a gate writes the version into an image. Without ByOutput, only the first version of each
// regime is compared with a golden file; with it, all of them are.
func (g *Generator[T]) ByOutput(byOutput bool) *Generator[T] {
	g.byOutput = byOutput
	return g
}

// Run checks the expectations of each fixture and compares its golden files, <Dir>/<fixture>/<version>.yaml, in a subtest
// of the fixture's name; then it compares <Dir>/manifest.yaml. All fixtures are built, also when -run selects some
// subtests, so that the manifest is always that of all.
func (g *Generator[T]) Run(t *testing.T) {
	t.Helper()
	if err := g.config.Validate(); err != nil {
		t.Fatalf("goldengen: invalid config: %v", err)
	}
	manifest := Manifest{}
	complete := true
	for _, fixture := range g.config.Fixtures {
		swept, err := g.sweep(fixture)
		ran := false
		t.Run(fixture.Name, func(t *testing.T) {
			ran = true
			if err != nil {
				t.Fatal(err)
			}
			g.check(t, fixture, swept)
		})
		if err != nil {
			complete = false
			if !ran {
				t.Error(err)
			}
		}
		manifest.Fixtures = append(manifest.Fixtures, swept.manifest(fixture.Name))
	}
	if !complete {
		return // the manifest would lack regimes
	}
	if err := g.compareManifest(manifest); err != nil {
		t.Error(err)
	}
}

// compareManifest also looks for golden files of fixtures that only the former manifest has.
func (g *Generator[T]) compareManifest(manifest Manifest) error {
	path := filepath.Join(g.config.Dir, "manifest.yaml")
	former, err := readManifest(path)
	if err != nil {
		return err
	}
	content, err := manifest.YAML()
	if err != nil {
		return fmt.Errorf("goldengen: marshal manifest: %w", err)
	}
	return errors.Join(dropRemoved(g.config.Dir, former, manifest, g.update), compare(path, content, g.update))
}

// check is the subtest of a fixture.
func (g *Generator[T]) check(t *testing.T, fixture Fixture[T], swept sweep) {
	t.Helper()
	if err := CheckGating(fixture, g.config.Versions, swept.firing); err != nil {
		t.Error(err)
	}
	folder := filepath.Join(g.config.Dir, fixture.Name)
	owned := map[string]bool{}
	for _, regime := range swept.regimes {
		path := filepath.Join(folder, regime.Representative+".yaml")
		owned[path] = true
		content, err := swept.units[regime.Representative].RenderYAML()
		if err != nil {
			t.Fatalf("render fixture %q regime %s: %v", fixture.Name, regime.Representative, err)
		}
		if err := compare(path, content, g.update); err != nil {
			t.Error(err)
		}
	}
	if err := dropStale(folder, owned, "regime", g.update); err != nil {
		t.Error(err)
	}
}
