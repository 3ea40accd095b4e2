package feature

// Gate switches something on or off.
type Gate interface {
	// Enabled reports whether the gate is open. An error means that this cannot be told.
	Enabled() (bool, error)
}

// VersionConstraint decides whether a version is one that a feature is meant for.
type VersionConstraint interface {
	// Enabled reports whether the version satisfies the constraint. An error means that the version is not understood.
	Enabled(version string) (bool, error)
}

// VersionGate is open when every condition given to When is true and every version constraint holds.
// Without conditions and constraints it is open.
type VersionGate struct {
	version     string
	constraints []VersionConstraint
	conditions  []bool
}

var _ Gate = (*VersionGate)(nil)

// NewVersionGate returns a gate that is open when currentVersion satisfies all constraints. Nil constraints are dropped.
func NewVersionGate(currentVersion string, constraints []VersionConstraint) *VersionGate {
	gate := &VersionGate{version: currentVersion}
	for _, constraint := range constraints {
		if constraint != nil {
			gate.constraints = append(gate.constraints, constraint)
		}
	}
	return gate
}

// NewBooleanGate returns a gate without version constraints that is open when enabled is true.
func NewBooleanGate(enabled bool) *VersionGate {
	return NewVersionGate("", nil).When(enabled)
}

// When adds a condition that must hold too. It changes the receiver and returns it.
func (g *VersionGate) When(truth bool) *VersionGate {
	g.conditions = append(g.conditions, truth)
	return g
}

// Enabled checks the conditions first: while one is false, no constraint is asked. The first constraint, in the order
// given, that fails or does not hold ends the evaluation.
func (g *VersionGate) Enabled() (bool, error) {
	for _, condition := range g.conditions {
		if !condition {
			return false, nil
		}
	}
	for _, constraint := range g.constraints {
		if enabled, err := constraint.Enabled(g.version); err != nil || !enabled {
			return false, err
		}
	}
	return true, nil
}
