package goldengen

import (
	"fmt"
	"slices"
)

// CheckGating returns the first expectation of the fixture that does not hold, as an error: first of Requires, then of
// Forbids. firing has the names of the mutations that fire by version.
func CheckGating[T any](f Fixture[T], versions []string, firing map[string][]string) error {
	fires := func(expect Expect) bool {
		among := versions
		if expect.For != "" {
			among = []string{expect.For}
		}
		return slices.ContainsFunc(among, func(version string) bool { return slices.Contains(firing[version], expect.Name) })
	}
	for _, expect := range f.Requires {
		switch {
		case fires(expect):
		case expect.For == "":
			return fmt.Errorf("fixture %q: required mutation %q never fires across the version sweep", f.Name, expect.Name)
		default:
			return fmt.Errorf("fixture %q: required mutation %q does not fire at %s", f.Name, expect.Name, expect.For)
		}
	}
	for _, expect := range f.Forbids {
		switch {
		case !fires(expect):
		case expect.For == "":
			return fmt.Errorf("fixture %q: forbidden mutation %q fires somewhere across the version sweep", f.Name, expect.Name)
		default:
			return fmt.Errorf("fixture %q: forbidden mutation %q fires at %s", f.Name, expect.Name, expect.For)
		}
	}
	return nil
}
