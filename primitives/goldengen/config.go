package goldengen

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Expect says that a mutation fires, or does not.
type Expect struct {
	// Name is the name of the mutation.
	Name string
	// For is the version for which this is said. Empty means all versions together: a required mutation fires in at least
	// one of them, a forbidden one in none.
	For string
}

// Fixture is a spec that is built in every version.
type Fixture[T any] struct {
	// Name is the name of the subtest, and of the folder of the golden files below Config.Dir.
	Name string
	// Spec is handed to Config.Build.
	Spec T
	// Requires names mutations that fire.
	Requires []Expect
	// Forbids names mutations that do not fire.
	Forbids []Expect
}

// Config describes the matrix of versions and fixtures.
type Config[T any] struct {
	// Dir is the folder of the golden files and of the manifest. Run takes its folders of the fixtures for its own, also those
	// of removed fixtures that the manifest still lists: keep no other YAML files in them.
	Dir string
	// Versions are all versions to build, in the order in which they stand for regimes: the first of a regime has the
	// golden file, which is named after it.
	Versions []string
	// Exclude names mutations that no fixture has to require.
	Exclude []string
	// Fixtures are the specs to build.
	Fixtures []Fixture[T]
	// Build returns what a spec gives in a version. It is called for every version, and has no effects.
	Build func(version string, spec T) (Unit, error)
}

// Validate returns the first reason why the matrix cannot be run.
func (c Config[T]) Validate() error {
	switch {
	case len(c.Versions) == 0:
		return errors.New("goldengen: Versions must not be empty")
	case c.Build == nil:
		return errors.New("goldengen: Build must not be nil")
	case c.Dir == "":
		return errors.New("goldengen: Dir must not be empty")
	case slices.Contains(c.Versions, ""):
		return errors.New("goldengen: Versions must not contain an empty string")
	}
	if version, found := firstDuplicate(c.Versions); found {
		return fmt.Errorf("goldengen: duplicate version %q in Versions", version)
	}
	for _, version := range c.Versions {
		// It is the name of a golden file.
		if !filepath.IsLocal(version) || filepath.Base(version) != version {
			return fmt.Errorf("goldengen: version %q is not a file name", version)
		}
	}
	if slices.Contains(c.Exclude, "") {
		return errors.New("goldengen: Exclude must not contain an empty string")
	}
	names := make([]string, 0, len(c.Fixtures))
	for _, fixture := range c.Fixtures {
		names = append(names, fixture.Name)
		if err := c.validate(fixture, names); err != nil {
			return err
		}
	}
	return nil
}

// validate checks a fixture; names are those of the fixtures up to this one.
func (c Config[T]) validate(fixture Fixture[T], names []string) error {
	if fixture.Name == "" {
		return errors.New("goldengen: fixture name must not be empty")
	}
	if _, found := firstDuplicate(names); found {
		return fmt.Errorf("goldengen: duplicate fixture name %q", fixture.Name)
	}
	for _, expect := range slices.Concat(fixture.Requires, fixture.Forbids) {
		if expect.Name == "" {
			return fmt.Errorf("goldengen: fixture %q has an expectation with an empty Name", fixture.Name)
		}
		if expect.For != "" && !slices.Contains(c.Versions, expect.For) {
			return fmt.Errorf("goldengen: fixture %q expectation %q has For %q not in Versions", fixture.Name, expect.Name, expect.For)
		}
	}
	// An update removes files from this folder.
	if !isFolder(fixture.Name) {
		return fmt.Errorf("goldengen: fixture name %q is not a folder below Dir", fixture.Name)
	}
	return nil
}

func firstDuplicate(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}
