package component_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"projection.sh/operator/primitives/component"
	"projection.sh/operator/primitives/feature"
)

func TestBuildReportsEveryFaultAtOnce(t *testing.T) {
	var none *stub
	one := newStub("ns", "one")
	for name, test := range map[string]struct {
		builder *component.Builder
		want    []string
	}{
		"nothing is given": {component.NewComponentBuilder(), []string{
			"component name must be supplied using WithName",
			"condition type must be supplied using WithConditionType",
		}},
		"what is given is empty": {component.NewComponentBuilder().WithName("").WithConditionType("").WithFieldManager(""), []string{
			"component name cannot be empty",
			"condition type cannot be empty",
			"field manager cannot be empty",
		}},
		"everything else": {
			component.NewComponentBuilder().WithConditionType(ready).
				WithResource(nil).
				WithResource(none).
				IncludeWhen(true, nil).
				WithResource(one).
				WithResource(one, component.ReadOnly(), component.Auxiliary()).
				WithResource(one, component.Delete()).
				WithResource(one, component.BlockOnAbsence()).
				WithResource(newStub("ns", "two"), component.GatedBy(brokenGate{})).
				WithGracePeriod(-time.Second).
				WithFeatureGate(nil).
				WithFeatureGate(feature.NewBooleanGate(true)).
				WithFeatureGate(feature.NewBooleanGate(true)).
				WithName("part"),
			[]string{
				"grace period must be positive",
				"feature gate already set; WithFeatureGate can only be called once",
				`nil build function passed to IncludeWhen in component "part"`,
				`nil resource registered in component "part"`,
				`nil resource registered in component "part"`,
				`duplicate resource "v1/ConfigMap/ns/one" in component "part" (delete=false, readOnly=true, mode=Auxiliary)`,
				`duplicate resource "v1/ConfigMap/ns/one" in component "part" (delete=true, readOnly=false, mode=Required)`,
				`resource "v1/ConfigMap/ns/one" in component "part": resource option BlockOnAbsence requires ReadOnly`,
				`resource "v1/ConfigMap/ns/two" in component "part": boom`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			built, err := test.builder.Build()
			require.Error(t, err)
			assert.Nil(t, built)
			assert.Equal(t, test.want, strings.Split(err.Error(), "\n"))
		})
	}
}

func TestIncludeWhen(t *testing.T) {
	part := buildPart(t, func(b *component.Builder) {
		b.IncludeWhen(true, func() component.Resource { return newStub("ns", "in") }).
			IncludeWhen(false, func() component.Resource { panic("built") })
	})
	_, ok := part.Resource("v1/ConfigMap/ns/in")
	assert.True(t, ok)
}

func TestResourceIsFoundByItsIdentityWhateverItsOptions(t *testing.T) {
	one, two, three, four := newStub("ns", "one"), newStub("ns", "two"), newStub("ns", "three"), newStub("ns", "four")
	part := buildPart(t, func(b *component.Builder) {
		b.WithResource(one).WithResource(two, component.ReadOnly()).
			WithResource(three, component.Delete()).WithResource(four, component.OrphanWhen(true))
	})
	for _, want := range []*stub{one, two, three, four} {
		got, ok := part.Resource(want.Identity())
		assert.True(t, ok)
		assert.Same(t, want, got)
	}
	_, ok := part.Resource("v1/ConfigMap/ns/five")
	assert.False(t, ok)
	assert.Equal(t, "part", part.GetName())
}
