package goldengen

import "fmt"

// sweep is a fixture, built in every version.
type sweep struct {
	units   map[string]Unit
	firing  map[string][]string
	regimes []Regime
}

func (g *Generator[T]) sweep(fixture Fixture[T]) (sweep, error) {
	swept := sweep{units: map[string]Unit{}, firing: map[string][]string{}}
	rendered := map[string][]byte{}
	for _, version := range g.config.Versions {
		unit, err := g.config.Build(version, fixture.Spec)
		if err != nil {
			return sweep{}, fmt.Errorf("build fixture %q at %s: %w", fixture.Name, version, err)
		}
		firing, err := unit.FiringSet()
		if err != nil {
			return sweep{}, fmt.Errorf("firing set for fixture %q at %s: %w", fixture.Name, version, err)
		}
		swept.units[version], swept.firing[version] = unit, firing
		if g.byOutput {
			if rendered[version], err = unit.RenderYAML(); err != nil {
				return sweep{}, fmt.Errorf("render fixture %q at %s: %w", fixture.Name, version, err)
			}
		}
	}
	swept.regimes = classify(g.config.Versions, swept.firing, rendered)
	return swept, nil
}

func (s sweep) manifest(name string) FixtureManifest {
	manifest := FixtureManifest{Name: name}
	for _, regime := range s.regimes {
		manifest.Regimes = append(manifest.Regimes, RegimeManifest(regime))
	}
	return manifest
}
