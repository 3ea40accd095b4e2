package expressions_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/components/expressions"
)

// grammar writes random expressions. Most of them can be compiled.
type grammar struct{ *rand.Rand }

func (g grammar) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g grammar) text(depth int) string {
	if depth == 0 {
		return g.pick("'a'", "''", "target.name", "target.labels['team']", "string(source.data.size)", "source.metadata.name", "target.labels['none']")
	}
	inner := func() string { return g.text(depth - 1) }
	switch g.IntN(8) {
	case 0:
		return "(" + inner() + " + " + inner() + ")"
	case 1:
		return inner() + ".replace(" + inner() + ", " + inner() + ")"
	case 2:
		return g.list(depth-1) + ".join(" + inner() + ")"
	case 3:
		return "[" + inner() + ", " + inner() + "].join('-')"
	case 4:
		return "(" + g.condition(depth-1) + " ? " + inner() + " : " + inner() + ")"
	case 5:
		return "string(" + g.number(depth-1) + ")"
	case 6:
		return inner() + g.pick(".upperAscii()", ".trim()", ".substring(1)", ".lowerAscii()")
	default:
		return "optional.of(" + inner() + ").orValue(" + inner() + ")"
	}
}

func (g grammar) list(depth int) string {
	if depth == 0 {
		return g.pick("['a', 'b']", "source.data.map(k, k)", "target.labels.map(k, k)", "[target.name]")
	}
	switch g.IntN(4) {
	case 0:
		return "[" + g.text(depth-1) + ", " + g.text(depth-1) + "]"
	case 1:
		return "(" + g.list(depth-1) + " + " + g.list(depth-1) + ")"
	case 2:
		return g.list(depth-1) + ".map(x, x + " + g.text(depth-1) + ")"
	default:
		return g.text(depth-1) + ".split(" + g.text(depth-1) + ")"
	}
}

func (g grammar) number(depth int) string {
	if depth == 0 {
		return g.pick("1", "0", "-7", "size(target.labels)", "int(source.data.size)", "9223372036854775807")
	}
	switch g.IntN(3) {
	case 0:
		return "(" + g.number(depth-1) + g.pick(" + ", " * ", " / ", " % ", " - ") + g.number(depth-1) + ")"
	case 1:
		return "size(" + g.list(depth-1) + ")"
	default:
		return "int(" + g.text(depth-1) + ")"
	}
}

func (g grammar) condition(depth int) string {
	switch g.IntN(4) {
	case 0:
		return g.text(depth) + " == " + g.text(depth)
	case 1:
		return g.text(depth) + " in " + g.list(depth)
	case 2:
		return g.text(depth) + ".matches('^a+')"
	default:
		return g.list(depth) + ".exists(x, x == " + g.text(depth) + ")"
	}
}

// Random expressions give a value or an EvaluationError, and the same each time.
func TestRandomExpressions(t *testing.T) {
	g := grammar{rand.New(rand.NewPCG(1, 2))}
	source, evaluated := example(), 0
	for range 2000 {
		text := g.text(1 + g.IntN(4))
		_, err := expressions.Compile("tenant", text)
		if refused := (*expressions.CompileError)(nil); errors.As(err, &refused) {
			continue
		}
		require.NoError(t, err, text)
		value, some, err := evaluate(expressions.Field{Path: "v", Expression: text}, source, tenant)
		if err != nil {
			failed, ok := errors.AsType[*expressions.EvaluationError](err)
			require.True(t, ok, "%s: %v", text, err)
			require.NotContains(t, failed.Detail, "internal error", text)
			continue
		}
		evaluated++
		again, stillSome, err := evaluate(expressions.Field{Path: "v", Expression: text}, source, tenant)
		require.NoError(t, err)
		require.Equal(t, value, again, text)
		require.Equal(t, some, stillSome)
	}
	require.Greater(t, evaluated, 500)
}

// FuzzExpression evaluates any text: no panic, and no evaluation that takes much longer than it may.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"target.name", "source.data.map(k, k)", "[[1, 2]].map(a, [a + a])", "'a'.replace('', 'b')", "'a'.matches('(a{9}){9}')"} {
		f.Add(text, "a")
	}
	f.Fuzz(func(t *testing.T, text, label string) {
		if len(text) > 2048 {
			return
		}
		target := expressions.Target{Name: "n", Labels: map[string]string{"team": label}}
		began := time.Now()
		_, _, err := evaluate(expressions.Field{Path: "v", Expression: text}, example(), target)
		if took := time.Since(began); took > 10*time.Second {
			t.Fatalf("%v for %s", took, text)
		}
		if failed, ok := errors.AsType[*expressions.EvaluationError](err); ok && strings.Contains(failed.Detail, "internal error") {
			t.Fatalf("%s: %s", text, failed.Detail)
		}
	})
}
