package goldengen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// matrixFile is a Config without Build.
type matrixFile struct {
	Dir      string          `json:"dir"`
	Versions []string        `json:"versions"`
	Exclude  []string        `json:"exclude"`
	Fixtures []matrixFixture `json:"fixtures"`
}

type matrixFixture struct {
	Name     string          `json:"name"`
	Spec     json.RawMessage `json:"spec"`
	SpecFile string          `json:"specFile"`
	Requires []matrixExpect  `json:"requires"`
	Forbids  []matrixExpect  `json:"forbids"`
}

type matrixExpect struct {
	Name string `json:"name"`
	For  string `json:"for"`
}

// LoadMatrix returns a Config that it reads from a YAML file and validates. The spec of a fixture is either inline, as
// spec, or in a file of its own, as specFile, whose path is relative to the matrix file; it is read into what newSpec
// returns. The path dir is relative to the working directory.
func LoadMatrix[T any](path string, newSpec func() T, build func(version string, spec T) (Unit, error)) (Config[T], error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Config[T]{}, fmt.Errorf("read matrix %q: %w", path, err)
	}
	var matrix matrixFile
	if err := yaml.Unmarshal(content, &matrix); err != nil {
		return Config[T]{}, fmt.Errorf("parse matrix %q: %w", path, err)
	}
	config := Config[T]{Dir: matrix.Dir, Versions: matrix.Versions, Exclude: matrix.Exclude, Build: build}
	for _, from := range matrix.Fixtures {
		fixture := Fixture[T]{Name: from.Name, Spec: newSpec(), Requires: expects(from.Requires), Forbids: expects(from.Forbids)}
		content, err := matrix.specOf(from, filepath.Dir(path))
		if err != nil {
			return Config[T]{}, err
		}
		if err := yaml.Unmarshal(content, &fixture.Spec); err != nil {
			return Config[T]{}, fmt.Errorf("fixture %q spec: %w", from.Name, err)
		}
		config.Fixtures = append(config.Fixtures, fixture)
	}
	if err := config.Validate(); err != nil {
		return Config[T]{}, err
	}
	return config, nil
}

// specOf returns the spec of a fixture as YAML or JSON.
func (m matrixFile) specOf(fixture matrixFixture, folder string) ([]byte, error) {
	inline := len(fixture.Spec) > 0
	if inline == (fixture.SpecFile != "") {
		return nil, fmt.Errorf("fixture %q must set exactly one of spec or specFile", fixture.Name)
	}
	if inline {
		return fixture.Spec, nil
	}
	path := filepath.Join(folder, fixture.SpecFile)
	if m.isGolden(path) {
		return nil, fmt.Errorf("fixture %q specFile %q is among the golden files, where an update would remove it", fixture.Name, fixture.SpecFile)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("fixture %q specFile %q: %w", fixture.Name, fixture.SpecFile, err)
	}
	return content, nil
}

// isGolden reports whether the file is where Run keeps golden files, and so removes what is none.
func (m matrixFile) isGolden(file string) bool {
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil || filepath.Ext(file) != ".yaml" {
		return false
	}
	return slices.ContainsFunc(m.Fixtures, func(fixture matrixFixture) bool {
		own, err := filepath.Abs(filepath.Join(m.Dir, fixture.Name))
		return err == nil && own == folder && fixture.Name != ""
	})
}

func expects(from []matrixExpect) []Expect {
	var all []Expect
	for _, expect := range from {
		all = append(all, Expect(expect))
	}
	return all
}
