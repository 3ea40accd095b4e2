package component

import (
	"errors"
	"fmt"
	"time"

	"projection.sh/operator/primitives/feature"
)

// Builder builds a Component. Faults are collected and reported by Build.
type Builder struct {
	component Component
	pending   []pendingResource
	faults    []error
	named     bool
	typed     bool
	nilBuilds int
}

// pendingResource is a registration whose options are not yet looked at.
type pendingResource struct {
	resource Resource
	opts     []ResourceOption
}

// NewComponentBuilder starts a component. It needs a name and a condition type.
func NewComponentBuilder() *Builder { return &Builder{} }

// WithName names the component. The name is part of the default field manager: changing it changes who owns the fields.
func (b *Builder) WithName(name string) *Builder {
	b.component.name, b.named = name, true
	return b
}

// WithConditionType sets the type of the condition that the component reports.
func (b *Builder) WithConditionType(conditionType ConditionType) *Builder {
	b.component.conditionType, b.typed = conditionType, true
	return b
}

// WithResource adds a resource. Resources are handled in the order of registration, also when they are deleted. Nil
// options are ignored.
func (b *Builder) WithResource(resource Resource, opts ...ResourceOption) *Builder {
	b.pending = append(b.pending, pendingResource{resource: resource, opts: opts})
	return b
}

// IncludeWhen builds and adds a resource if include is true. Otherwise the component knows nothing of it and, unlike
// with DeleteWhen, leaves the object alone. Sweep of its kind deletes the object: add a resource that Sweep must keep with
// OrphanWhen or ReadOnly.
func (b *Builder) IncludeWhen(include bool, build func() Resource, opts ...ResourceOption) *Builder {
	if !include {
		return b
	}
	if build == nil {
		b.nilBuilds++
		return b
	}
	return b.WithResource(build(), opts...)
}

// WithGracePeriod sets how long the component may take to converge before it is Degraded or Down, counted from the
// last transition of its condition. Zero, the default, means for ever.
func (b *Builder) WithGracePeriod(period time.Duration) *Builder {
	if period < 0 {
		b.faults = append(b.faults, errors.New("grace period must be positive"))
	}
	b.component.gracePeriod = period
	return b
}

// WithFeatureGate has everything that the component manages deleted while the gate is closed. Nil is ignored; a second
// gate is a fault.
func (b *Builder) WithFeatureGate(gate feature.Gate) *Builder {
	if gate == nil {
		return b
	}
	if b.component.gate != nil {
		b.faults = append(b.faults, errors.New("feature gate already set; WithFeatureGate can only be called once"))
	}
	b.component.gate = gate
	return b
}

// WithPrerequisite adds something that must be given before the component is reconciled for the first time. Several
// are checked in the order of registration; nil is ignored.
func (b *Builder) WithPrerequisite(prerequisite Prerequisite) *Builder {
	if prerequisite != nil {
		b.component.prerequisites = append(b.component.prerequisites, prerequisite)
	}
	return b
}

// WithFieldManager replaces the default field manager, <Kind>/<component>/<uid of the owner>. A manager that does not
// depend on the uid keeps its fields when the owner is created anew.
func (b *Builder) WithFieldManager(name string) *Builder {
	if name == "" {
		b.faults = append(b.faults, errors.New("field manager cannot be empty"))
	}
	b.component.fieldManager = name
	return b
}

// Suspend suspends the component, or resumes it.
func (b *Builder) Suspend(suspend bool) *Builder {
	b.component.suspended = suspend
	return b
}

// SuspendReason says why the component is suspended, in the message of its condition once it is; "" says nothing.
func (b *Builder) SuspendReason(reason string) *Builder {
	b.component.suspendReason = reason
	return b
}

// Build validates and returns the component. It reports all faults at once. Data that a resource reads must be produced by an
// earlier one that is not to be deleted.
func (b *Builder) Build() (*Component, error) {
	component := b.component
	faults := append(b.identityFaults(), b.faults...)
	for range b.nilBuilds {
		faults = append(faults, fmt.Errorf("nil build function passed to IncludeWhen in component %q", component.name))
	}
	component.byIdentity = make(map[string]Resource, len(b.pending))
	for _, pending := range b.pending {
		if err := component.register(pending); err != nil {
			faults = append(faults, err)
		}
	}
	data, unreadable := newDataFlow(component.name, component.reconciled)
	if err := errors.Join(append(faults, unreadable...)...); err != nil {
		return nil, err
	}
	component.data = data
	component.now = time.Now
	return &component, nil
}

func (b *Builder) identityFaults() []error {
	var faults []error
	switch {
	case !b.named:
		faults = append(faults, errors.New("component name must be supplied using WithName"))
	case b.component.name == "":
		faults = append(faults, errors.New("component name cannot be empty"))
	}
	switch {
	case !b.typed:
		faults = append(faults, errors.New("condition type must be supplied using WithConditionType"))
	case b.component.conditionType == "":
		faults = append(faults, errors.New("condition type cannot be empty"))
	}
	return faults
}
