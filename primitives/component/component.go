package component

import (
	"fmt"
	"time"

	"projection.sh/operator/primitives/feature"
)

// Component is an ordered list of resources that report as one condition of their owner. A component belongs to one
// reconcile: its resources remember what they applied.
type Component struct {
	name          string
	conditionType ConditionType
	gracePeriod   time.Duration
	gate          feature.Gate
	prerequisites []Prerequisite
	fieldManager  string
	suspended     bool
	suspendReason string

	reconciled []registration
	deleted    []registration
	orphaned   []registration
	byIdentity map[string]Resource
	data       dataFlow

	now func() time.Time
}

// GetName returns the name.
func (c *Component) GetName() string { return c.name }

// Resource returns the resource of that identity, whatever its options.
func (c *Component) Resource(identity string) (Resource, bool) {
	resource, ok := c.byIdentity[identity]
	return resource, ok
}

func (c *Component) register(pending pendingResource) error {
	if isNil(pending.resource) {
		return fmt.Errorf("nil resource registered in component %q", c.name)
	}
	identity := pending.resource.Identity()
	config, err := newResourceConfig(pending.opts)
	if err == nil {
		err = config.fit(pending.resource)
	}
	if err != nil {
		return fmt.Errorf("resource %q in component %q: %w", identity, c.name, err)
	}
	if _, ok := c.byIdentity[identity]; ok {
		return fmt.Errorf("duplicate resource %q in component %q (delete=%t, readOnly=%t, mode=%s)",
			identity, c.name, config.delete, config.readOnly, config.mode())
	}
	c.byIdentity[identity] = pending.resource
	list := &c.reconciled
	switch {
	case config.delete:
		list = &c.deleted
	case config.orphan:
		list = &c.orphaned
	}
	*list = append(*list, registration{resourceConfig: config, resource: pending.resource, identity: identity})
	return nil
}

// managed returns the resources that are applied.
func (c *Component) managed() []registration {
	managed := make([]registration, 0, len(c.reconciled))
	for _, r := range c.reconciled {
		if !r.readOnly {
			managed = append(managed, r)
		}
	}
	return managed
}
