package goldengen

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// AssertComplete checks that each mutation that a fixture registers in some version is required by a fixture or excluded,
// and that nothing else is. It is called in TestMain with the code of m.Run: another code than 0 is returned as it is,
// 1 if there are violations, which go to standard error.
func (g *Generator[T]) AssertComplete(code int) int { return g.assertComplete(code, os.Stderr) }

func (g *Generator[T]) assertComplete(code int, stderr io.Writer) int {
	if code != 0 {
		return code
	}
	registered, err := g.registered()
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return 1
	}
	accounted := map[string]bool{}
	for _, name := range g.config.Exclude {
		accounted[name] = true
	}
	for _, fixture := range g.config.Fixtures {
		for _, expect := range fixture.Requires {
			accounted[expect.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(registered)) {
		if !accounted[name] {
			code = 1
			_, _ = fmt.Fprintf(stderr, "goldengen: unaccounted mutation %q (require it in a fixture or add it to Exclude)\n", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(accounted)) {
		if !registered[name] {
			code = 1
			_, _ = fmt.Fprintf(stderr, "goldengen: stale name %q is required or excluded but not registered by any fixture\n", name)
		}
	}
	return code
}

// registered returns the names of the mutations of all fixtures in all versions.
func (g *Generator[T]) registered() (map[string]bool, error) {
	if err := g.config.Validate(); err != nil {
		return nil, fmt.Errorf("goldengen: invalid config: %w", err)
	}
	names := map[string]bool{}
	for _, fixture := range g.config.Fixtures {
		for _, version := range g.config.Versions {
			unit, err := g.config.Build(version, fixture.Spec)
			if err != nil {
				return nil, fmt.Errorf("goldengen: build fixture %q for accounting: %w", fixture.Name, err)
			}
			for _, name := range unit.RegisteredMutations() {
				if name == "" {
					return nil, fmt.Errorf("goldengen: fixture %q registers a mutation with an empty Name", fixture.Name)
				}
				names[name] = true
			}
		}
	}
	return names, nil
}
