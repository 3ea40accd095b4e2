package generic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"projection.sh/operator/primitives/concepts"
	"projection.sh/operator/primitives/generic"
)

func nameOf(o *corev1.ConfigMap) (string, error) { return o.Name, nil }

func TestValidationOfDeclaredData(t *testing.T) {
	type builder = generic.StaticBuilder[*corev1.ConfigMap, *mutator]
	cell := concepts.NewData[string]("a")
	var typedNil *concepts.Data[string]
	const noCell = "declared data read (WithDataGuard or WithOptionalData) requires a non-nil cell"
	for name, test := range map[string]struct {
		declare func(*builder)
		want    string
	}{
		"extraction without a cell":      {func(b *builder) { generic.ExtractInto(&b.BaseBuilder, nil, nameOf) }, "declared data extraction requires a non-nil cell"},
		"extraction without both":        {func(b *builder) { generic.ExtractInto[*corev1.ConfigMap, *mutator, string](&b.BaseBuilder, nil, nil) }, "declared data extraction requires a non-nil cell"},
		"extraction without a function":  {func(b *builder) { generic.ExtractInto(&b.BaseBuilder, cell, nil) }, `declared data extraction into "a" requires a non-nil extraction function`},
		"guard without a cell":           {func(b *builder) { b.WithDataGuard(cell, nil) }, noCell},
		"guard with a nil pointer":       {func(b *builder) { b.WithDataGuard(typedNil) }, noCell},
		"optional read without a cell":   {func(b *builder) { b.WithOptionalData(nil) }, noCell},
		"extractions before reads":       {func(b *builder) { b.WithDataGuard(nil); generic.ExtractInto(&b.BaseBuilder, cell, nil) }, `declared data extraction into "a" requires a non-nil extraction function`},
		"reads before names":             {func(b *builder) { b.WithMutation(says("b"), says("b")).WithDataGuard(nil) }, noCell},
		"empty name in metrics":          {func(b *builder) { b.WithMetricsIdentifier("") }, "metrics identifier cannot be blank"},
		"blank name in metrics":          {func(b *builder) { b.WithMetricsIdentifier(" \t\n") }, "metrics identifier cannot be blank"},
		"name in metrics before reads":   {func(b *builder) { b.WithDataGuard(nil).WithMetricsIdentifier("") }, "metrics identifier cannot be blank"},
		"the last name in metrics holds": {func(b *builder) { b.WithMetricsIdentifier("").WithMetricsIdentifier("a") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := staticBuilder()
			test.declare(b)
			_, err := b.Build()
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)
		})
	}
}

func TestDeclarations(t *testing.T) {
	a, b, c := concepts.NewData[string]("a"), concepts.NewData[int]("b"), concepts.NewData[bool]("c")
	builder := staticBuilder().WithOptionalData(a, c).WithDataGuard(b, a).WithMetricsIdentifier(" settings ")
	generic.ExtractInto(&builder.BaseBuilder, b, func(*corev1.ConfigMap) (int, error) { return 1, nil })
	generic.ExtractInto(&builder.BaseBuilder, a, nameOf)
	generic.ExtractInto(&builder.BaseBuilder, b, func(*corev1.ConfigMap) (int, error) { return 2, nil })
	resource, err := builder.Build()
	require.NoError(t, err)

	assert.Equal(t, []concepts.DataCell{b, a}, resource.ProducedData())
	assert.Equal(t, []concepts.DataConsumption{
		{Cell: a, Optional: true}, {Cell: c, Optional: true}, {Cell: b}, {Cell: a},
	}, resource.ConsumedData())
	assert.Equal(t, " settings ", resource.MetricsIdentifier())
	resource.ConsumedData()[0] = concepts.DataConsumption{}
	assert.Equal(t, a, resource.ConsumedData()[0].Cell, "a copy is returned")

	require.NoError(t, resource.ExtractData())
	value, _ := b.Get()
	assert.Equal(t, 2, value, "the last extraction wins")
}

func TestResourceWithoutDeclarations(t *testing.T) {
	resource, err := staticBuilder().Build()
	require.NoError(t, err)
	assert.Empty(t, resource.ProducedData())
	assert.Empty(t, resource.ConsumedData())
	assert.Empty(t, resource.MetricsIdentifier())
}

func TestExtractionsRunInOrderOnCopiesOfTheirOwn(t *testing.T) {
	var steps []string
	step := func(name string) func(*corev1.ConfigMap) (string, error) {
		return func(o *corev1.ConfigMap) (string, error) {
			steps = append(steps, name+" "+o.Name)
			o.Name = "changed"
			return name, nil
		}
	}
	builder := staticBuilder()
	generic.ExtractInto(&builder.BaseBuilder, concepts.NewData[string]("a"), step("first"))
	generic.ExtractInto(&builder.BaseBuilder, concepts.NewData[string]("b"), step("second"))
	builder.WithDataExtractor(func(o *corev1.ConfigMap) error { _, err := step("extractor")(o); return err })
	resource, err := builder.Build()
	require.NoError(t, err)
	require.NoError(t, resource.ExtractData())
	assert.Equal(t, []string{"extractor one", "first one", "second one"}, steps)
	assert.Equal(t, "one", resource.DesiredObject.Name)
}

func TestFailedExtractionLeavesTheCellAndEndsIt(t *testing.T) {
	first, later := concepts.NewData[string]("first"), concepts.NewData[string]("later")
	first.Set("before")
	builder := staticBuilder()
	generic.ExtractInto(&builder.BaseBuilder, first, func(*corev1.ConfigMap) (string, error) { return "half", errBoom })
	generic.ExtractInto(&builder.BaseBuilder, later, nameOf)
	resource, err := builder.Build()
	require.NoError(t, err)

	err = resource.ExtractData()

	require.ErrorIs(t, err, errBoom)
	require.EqualError(t, err, `extract data "first": boom`)
	value, _ := first.Get()
	assert.Equal(t, "before", value)
	assert.False(t, later.IsSet())
}

func TestGuardWaitsForDataFirst(t *testing.T) {
	a, b, c := concepts.NewData[string](`a"`), concepts.NewData[int]("b"), concepts.NewData[bool]("c")
	asked := 0
	resource, err := staticBuilder().WithGuard(func(o *corev1.ConfigMap) (concepts.GuardStatusWithReason, error) {
		asked++
		o.Name = "changed"
		return concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: "custom"}, nil
	}).WithDataGuard(a).WithOptionalData(c).WithDataGuard(b, a).Build()
	require.NoError(t, err)
	requireReason := func(want string) {
		status, err := resource.GuardStatus()
		require.NoError(t, err)
		require.Equal(t, concepts.GuardStatusWithReason{Status: concepts.GuardStatusBlocked, Reason: want}, status)
	}
	requireReason(`waiting for data "a\"", "b"`)
	a.Set("")
	requireReason(`waiting for data "b"`)
	assert.Zero(t, asked)
	b.Set(0)
	requireReason("custom")
	assert.Equal(t, 1, asked)
	assert.Equal(t, "one", resource.DesiredObject.Name)
}

func TestWrapExtraction(t *testing.T) {
	assert.Nil(t, generic.WrapExtraction[corev1.ConfigMap, string](nil))
	value, err := generic.WrapExtraction(func(o corev1.ConfigMap) (string, error) { return o.Name, errBoom })(baseline())
	require.ErrorIs(t, err, errBoom)
	assert.Equal(t, "one", value)
}
