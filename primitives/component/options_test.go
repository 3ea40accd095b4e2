package component_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/feature"
)

func TestOptionsThatExcludeEachOther(t *testing.T) {
	const include = "; use IncludeWhen to conditionally include a read-only resource"
	gated := component.GatedBy(feature.NewBooleanGate(true))
	for want, opts := range map[string][]component.ResourceOption{
		"resource options BlockOnAbsence and IgnoreIfAbsent are mutually exclusive": {
			component.ReadOnly(), component.BlockOnAbsence(), component.IgnoreIfAbsent(),
		},
		"resource option BlockOnAbsence requires ReadOnly":                                                                          {component.BlockOnAbsence()},
		"resource option IgnoreIfAbsent requires ReadOnly":                                                                          {component.IgnoreIfAbsent()},
		"resource option ReadOnly is mutually exclusive with Delete and DeleteWhen" + include:                                       {component.ReadOnly(), component.Delete()},
		"resource option ReadOnly is mutually exclusive with GatedBy" + include:                                                     {component.ReadOnly(), gated},
		"resource option OrphanWhen is mutually exclusive with Delete and DeleteWhen":                                               {component.OrphanWhen(false), component.DeleteWhen(false)},
		"resource option OrphanWhen is mutually exclusive with GatedBy":                                                             {component.OrphanWhen(true), gated},
		"resource option OrphanWhen is mutually exclusive with ReadOnly":                                                            {component.OrphanWhen(true), component.ReadOnly()},
		"resource option BlockOnForeignController is mutually exclusive with ReadOnly; a read-only resource is never applied":       {component.BlockOnForeignController(), component.ReadOnly()},
		"resource option OnlyIfOwned is mutually exclusive with ReadOnly; a read-only resource is never deleted":                    {component.OnlyIfOwned(), component.ReadOnly()},
		"resource option ExpectUID is mutually exclusive with ReadOnly; a read-only resource is never applied":                      {component.ExpectUID(""), component.ReadOnly()},
		"resource option ExpectAbsent is mutually exclusive with ReadOnly; a read-only resource is never applied":                   {component.ExpectAbsent(), component.ReadOnly()},
		"resource options ExpectUID and ExpectAbsent are mutually exclusive":                                                        {component.ExpectUID(""), component.ExpectAbsent()},
		"resource option SuspendWhen is mutually exclusive with ReadOnly":                                                           {component.SuspendWhen(false), component.ReadOnly()},
		"resource option SuspendWhen is mutually exclusive with Delete and DeleteWhen":                                              {component.SuspendWhen(false), component.DeleteWhen(false)},
		"resource option SuspendWhen is mutually exclusive with OrphanWhen":                                                         {component.SuspendWhen(false), component.OrphanWhen(false)},
		"resource option OmitFields is mutually exclusive with ReadOnly; a read-only resource is never applied":                     {component.OmitFields("a"), component.ReadOnly()},
		"resource option RecreateOnImmutable is mutually exclusive with ReadOnly; a read-only resource is never applied":            {component.RecreateOnImmutable(), component.ReadOnly()},
		"resource option RecreateOnImmutable is mutually exclusive with Unowned; only an object that the owner controls is deleted": {component.RecreateOnImmutable(), component.Unowned()},
		"resource option SuspendWhen requires a resource that can be suspended":                                                     {component.SuspendWhen(false)},
	} {
		_, err := component.NewComponentBuilder().WithName("part").WithConditionType(ready).
			WithResource(newStub("ns", "one"), opts...).Build()
		assert.EqualError(t, err, `resource "v1/ConfigMap/ns/one" in component "part": `+want)
	}
}

func TestOptionsThatGoTogether(t *testing.T) {
	for name, opts := range map[string][]component.ResourceOption{
		"conditions to delete are joined by or": {component.DeleteWhen(true), component.DeleteWhen(false), component.BlockOnForeignController()},
		"conditions to orphan are joined by or": {component.OrphanWhen(true), component.OrphanWhen(false)},
		"read only":                             {component.ReadOnly(), component.Auxiliary(), component.IgnoreIfAbsent()},
		"no gate":                               {component.GatedBy(nil), component.ReadOnly()},
	} {
		t.Run(name, func(t *testing.T) {
			buildPart(t, func(b *component.Builder) { b.WithResource(newStub("ns", "one"), opts...) })
		})
	}
}
