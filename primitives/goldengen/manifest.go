package goldengen

import (
	"errors"
	"io/fs"
	"os"

	"sigs.k8s.io/yaml"
)

// Manifest lists the regimes of all fixtures.
type Manifest struct {
	// Fixtures are in the order of Config.Fixtures.
	Fixtures []FixtureManifest `json:"fixtures"`
}

// FixtureManifest lists the regimes of a fixture.
type FixtureManifest struct {
	// Name is that of the fixture.
	Name string `json:"name"`
	// Regimes are in the order of their first versions.
	Regimes []RegimeManifest `json:"regimes"`
}

// RegimeManifest is a Regime in a Manifest.
type RegimeManifest struct {
	// Representative is the version of the golden file.
	Representative string `json:"representative"`
	// Versions are all versions of the regime.
	Versions []string `json:"versions"`
	// Firing are the names of the mutations that fire, sorted.
	Firing []string `json:"firing"`
}

// YAML returns the manifest as YAML with sorted keys.
func (m Manifest) YAML() ([]byte, error) { return yaml.Marshal(m) }

// readManifest returns an empty manifest if the file does not exist or holds none: the comparison reports that.
func readManifest(path string) (Manifest, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, nil
	}
	if err != nil {
		return Manifest{}, err
	}
	var manifest Manifest
	if yaml.Unmarshal(content, &manifest) != nil {
		manifest = Manifest{}
	}
	return manifest, nil
}
