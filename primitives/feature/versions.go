package feature

import "fmt"

// Between returns a gate that is open for versions >= from and < below. Versions are compared as NewConstraint does:
// by major, minor and patch. A version or a bound that is not understood is an error of the gate.
func Between(version, from, below string) Gate {
	return gateFunc(func() (bool, error) {
		reached, err := reaches(version, from)
		if err != nil {
			return false, err
		}
		passed, err := reaches(version, below)
		return err == nil && reached && !passed, err
	})
}

// Split returns two gates of which exactly one is open: before for versions < at, and from for versions >= at. Where one
// is an error, so is the other. Versions are compared as in Between.
//
// Example: a field of a baseline has another shape since 2.0.0. Two mutations write the two shapes, with the two gates,
// and no version gets both or none.
func Split(version, at string) (before, from Gate) {
	from = gateFunc(func() (bool, error) { return reaches(version, at) })
	return Not(from), from
}

// reaches reports whether the version is the bound or later.
func reaches(version, bound string) (bool, error) {
	limit, err := parseCore(bound)
	if err != nil {
		return false, fmt.Errorf("version bound %q: %w", bound, err)
	}
	parsed, err := parseCore(version)
	if err != nil {
		return false, fmt.Errorf("compare version %q with %q: %w", version, bound, err)
	}
	return !parsed.LessThan(limit), nil
}
