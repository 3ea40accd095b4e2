package feature

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
)

type semverConstraint struct {
	expression  string
	constraints *semver.Constraints
}

var _ VersionConstraint = semverConstraint{}

// NewConstraint returns a VersionConstraint for an expression such as ">= 1.33.0" or ">= 1.32, < 1.35", in the syntax
// of github.com/Masterminds/semver.
//
// Versions are compared by major, minor and patch alone, because platforms tell their builds in the suffix: v1.33.1,
// 1.33.1-eks-abc, v1.33.1+k3s1 and v1.33.0-rc.1 all satisfy ">= 1.33.0". Missing parts of a version count as zero.
func NewConstraint(expression string) (VersionConstraint, error) {
	constraints, err := semver.NewConstraint(expression)
	if err != nil {
		return nil, fmt.Errorf("version constraint %q: %w", expression, err)
	}
	return semverConstraint{expression: expression, constraints: constraints}, nil
}

// MustConstraint is NewConstraint for expressions that are known to be valid. It panics if they are not.
func MustConstraint(expression string) VersionConstraint {
	constraint, err := NewConstraint(expression)
	if err != nil {
		panic(err)
	}
	return constraint
}

// Enabled reports whether the version satisfies the expression.
func (c semverConstraint) Enabled(version string) (bool, error) {
	parsed, err := parseCore(version)
	if err != nil {
		return false, fmt.Errorf("compare version %q with %q: %w", version, c.expression, err)
	}
	return c.constraints.Check(parsed), nil
}

// String returns the expression.
func (c semverConstraint) String() string { return c.expression }

// parseCore returns major, minor and patch of a version.
func parseCore(version string) (*semver.Version, error) {
	core, _, _ := strings.Cut(strings.TrimSpace(version), "+")
	core, _, _ = strings.Cut(core, "-")
	return semver.NewVersion(core)
}
