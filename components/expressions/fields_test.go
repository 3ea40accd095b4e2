package expressions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/components/expressions"
)

func compile(t *testing.T, pairs ...string) *expressions.Fields {
	t.Helper()
	var list []expressions.Field
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, expressions.Field{Path: pairs[i], Expression: pairs[i+1], Data: strings.HasPrefix(pairs[i], "data")})
	}
	fields, err := expressions.CompileFields("tenant", list)
	require.NoError(t, err)
	return fields
}

func TestValuesAreInTheOrderOfTheFields(t *testing.T) {
	values, err := compile(t, "spec.b", "target.name", "spec.a", "source.metadata.name", "spec.none", "optional.none()", "spec.c", "target.labels.team").
		Evaluate(example(), expressions.Timing{})
	require.NoError(t, err)
	of, err := values.Of(tenant)
	require.NoError(t, err)
	assert.Equal(t, []expressions.Value{{Path: "spec.b", Value: "tenant-a"}, {Path: "spec.a", Value: "shop"}, {Path: "spec.c", Value: "a"}}, of)
}

func TestNames(t *testing.T) {
	none, all := expressions.Names{}, expressions.Names{Target: true, Labels: true, Annotations: true}
	for text, want := range map[string]expressions.Names{
		"1":                                    none,
		"source.data.a":                        none,
		"target.name":                          {Target: true},
		"target.labels['a']":                   {Target: true, Labels: true},
		"target.annotations[?'a'].orValue('')": {Target: true, Annotations: true, Keys: []string{"a"}},
		"target.annotations.b + target.annotations['a'] + target.annotations.?b.orValue('')": {
			Target: true, Annotations: true, Keys: []string{"a", "b"},
		},
		"has(target.annotations.a)":                               {Target: true, Annotations: true, Keys: []string{"a"}},
		"target.annotations[target.annotations.a]":                {Target: true, Annotations: true},
		"target.annotations.a + target.annotations[target.name]":  {Target: true, Annotations: true},
		"'a' in target.annotations":                               {Target: true, Annotations: true},
		"target.annotations.map(k, k).join('') + target.labels.a": {Target: true, Labels: true, Annotations: true},
		"has(target.labels.a)":                                    {Target: true, Labels: true},
		"source.data[target.labels['a']]":                         {Target: true, Labels: true},
		"[target].map(t, t.labels['a'])":                          all,
		"dyn(target)['labels']":                                   all,
		"target":                                                  all,
		"target.?labels.?a.orValue('')":                           all,
		"[1].map(x, target.labels.exists(k, true))":               {Target: true, Labels: true},
		"'target.labels'":                                         none,
		"[1].map(target, .target.name)":                           {Target: true},
		"[1].map(target, .target.annotations['a'])":               {Target: true, Annotations: true, Keys: []string{"a"}},
	} {
		expression, err := expressions.Compile("tenant", text)
		require.NoError(t, err, text)
		assert.Equal(t, want, expression.Names(), text)
	}
}

func TestNamesReadWhatChanges(t *testing.T) {
	namespace := func(labels, annotations map[string]string) metav1.Object {
		return &metav1.ObjectMeta{Labels: labels, Annotations: annotations}
	}
	before := namespace(map[string]string{"a": "1"}, map[string]string{"a": "1", "b": "1"})
	relabelled := namespace(map[string]string{"a": "2"}, map[string]string{"a": "1", "b": "1"})
	annotated := namespace(map[string]string{"a": "1"}, map[string]string{"a": "1", "b": "2"})
	without := namespace(map[string]string{"a": "1"}, map[string]string{"a": "1"})
	for name, test := range map[string]struct {
		names                            expressions.Names
		relabelled, annotated, different bool
	}{
		"the name":       {expressions.Names{Target: true}, false, false, false},
		"labels":         {expressions.Names{Target: true, Labels: true}, true, false, false},
		"annotations":    {expressions.Names{Target: true, Annotations: true}, false, true, true},
		"the annotation": {expressions.Names{Target: true, Annotations: true, Keys: []string{"b"}}, false, true, true},
		"another one":    {expressions.Names{Target: true, Annotations: true, Keys: []string{"a"}}, false, false, false},
	} {
		assert.Equal(t, test.relabelled, test.names.ReadsChange(before, relabelled), name)
		assert.Equal(t, test.annotated, test.names.ReadsChange(before, annotated), name)
		assert.Equal(t, test.different, test.names.ReadsChange(before, without), name)
		assert.False(t, test.names.ReadsChange(before, before), name)
	}
}

func TestErrorsNameTheField(t *testing.T) {
	_, err := expressions.CompileFields("tenant", []expressions.Field{{Path: "a", Expression: "1"}, {Path: "b", Expression: "2 +"}})
	require.ErrorContains(t, err, "overlay.fields[1]: line 1, column 4: Syntax error")
	_, err = compile(t, "a", "1", "b", "source.none").Evaluate(example(), expressions.Timing{})
	require.EqualError(t, err, "overlay.fields[1]: line 1, column 7: no such key: none")
	values, err := compile(t, "a", "1", "b", "target.labels['none']").Evaluate(example(), expressions.Timing{})
	require.NoError(t, err)
	_, err = values.Of(tenant)
	require.EqualError(t, err, "overlay.fields[1]: line 1, column 14: no such key: none")
}

func TestSizeOfValues(t *testing.T) {
	text := func(kib int) string { return strings.Repeat("x", kib<<10-100) }
	source := expressions.Source{Object: map[string]any{"a": text(64), "b": text(65)}}
	_, err := compile(t, "v", "source.a").Evaluate(source, expressions.Timing{})
	require.NoError(t, err)
	_, err = compile(t, "v", "source.b").Evaluate(source, expressions.Timing{})
	require.EqualError(t, err, "overlay.fields[0]: the result is larger than 64 KiB")
	_, err = compile(t, "v", "[source.a, source.a]").Evaluate(source, expressions.Timing{})
	require.ErrorContains(t, err, "larger than 64 KiB", "of all texts together")

	four := []string{"a", "source.a", "b", "source.a", "c", "source.a", "d", "source.a"}
	_, err = compile(t, four...).Evaluate(source, expressions.Timing{})
	require.NoError(t, err)
	_, err = compile(t, append(four, "e", "'1' + source.a.substring(0, 1000)")...).Evaluate(source, expressions.Timing{})
	require.EqualError(t, err, "overlay.fields[4]: all values of a copy together are larger than 256 KiB")
	values, err := compile(t, append(four, "e", "target.name + source.a.substring(0, 1000)")...).Evaluate(source, expressions.Timing{})
	require.NoError(t, err)
	_, err = values.Of(tenant)
	require.ErrorContains(t, err, "all values of a copy together are larger than 256 KiB")
}

func TestDepthOfValues(t *testing.T) {
	deep := any("x")
	for range 100 {
		deep = []any{deep}
	}
	_, err := compile(t, "v", "source.deep").Evaluate(expressions.Source{Object: map[string]any{"deep": deep}}, expressions.Timing{})
	require.ErrorContains(t, err, "nested deeper than 64 levels")
}

// All expressions for one target share one budget, which is smaller than that of an expression that is evaluated once.
func TestBudgetOfATarget(t *testing.T) {
	elements := make([]any, 1500)
	for i := range elements {
		elements[i] = int64(i)
	}
	source := expressions.Source{Object: map[string]any{"list": elements}}
	once := "source.list.map(i, i + 1).size()"
	perTarget := "source.list.map(i, i + target.name.size()).size()"

	var shared, few, many []string
	for i := range 8 {
		shared = append(shared, fmt.Sprintf("v%d", i), once)
		many = append(many, fmt.Sprintf("v%d", i), perTarget)
	}
	few = many[:4]
	values, err := compile(t, shared...).Evaluate(source, expressions.Timing{})
	require.NoError(t, err)
	_, err = values.Of(tenant)
	require.NoError(t, err)

	values, err = compile(t, few...).Evaluate(source, expressions.Timing{})
	require.NoError(t, err)
	_, err = values.Of(tenant)
	require.NoError(t, err)

	values, err = compile(t, many...).Evaluate(source, expressions.Timing{})
	require.NoError(t, err)
	_, err = values.Of(tenant)
	requireCause(t, expressions.TooCostly, err)
}
