package expressions

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Names says what of the target an expression names.
type Names struct {
	// Target reports whether it names the target.
	Target bool
	// Labels and Annotations report whether it may read labels and annotations of the target.
	Labels, Annotations bool
	// Keys are the keys of the annotations that it may read, sorted; nil: it may read all. Others change annotations of namespaces often.
	Keys []string
}

// Or returns what at least one of the two names.
func (n Names) Or(other Names) Names {
	either := Names{Target: n.Target || other.Target, Labels: n.Labels || other.Labels, Annotations: n.Annotations || other.Annotations}
	switch {
	case !n.Annotations:
		either.Keys = other.Keys
	case !other.Annotations:
		either.Keys = n.Keys
	case n.Keys != nil && other.Keys != nil:
		either.Keys = slices.Compact(slices.Sorted(slices.Values(slices.Concat(n.Keys, other.Keys))))
	}
	return either
}

// ReadsChange reports whether an expression with these names may give another value when the namespace changes.
func (n Names) ReadsChange(before, after metav1.Object) bool {
	return n.Labels && !maps.Equal(before.GetLabels(), after.GetLabels()) ||
		n.Annotations && n.readsAnnotations(before.GetAnnotations(), after.GetAnnotations())
}

func (n Names) readsAnnotations(before, after map[string]string) bool {
	if n.Keys == nil {
		return !maps.Equal(before, after)
	}
	return slices.ContainsFunc(n.Keys, func(key string) bool {
		was, had := before[key]
		is, has := after[key]
		return was != is || had != has
	})
}

// namesIn returns what the checked expression names. If it uses the target as a whole, it may read all of it.
func (d *dialect) namesIn(checked *ast.AST) (names Names) {
	seen := map[int64]bool{} // parts that are known from what they are a part of
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if annotations, key, found := element(e); found && d.isField(annotations, annotationsField) {
			names = names.Or(Names{Target: true, Annotations: true, Keys: []string{key}})
			seen[annotations.ID()], seen[annotations.AsSelect().Operand().ID()] = true, true
		}
		switch {
		case seen[e.ID()]:
		case d.isField(e, ""):
			seen[e.AsSelect().Operand().ID()] = true
			field := e.AsSelect().FieldName()
			names = names.Or(Names{Target: true, Labels: field == labelsField, Annotations: field == annotationsField})
		case d.isTarget(e):
			names = names.Or(Names{Target: true, Labels: true, Annotations: true})
		}
	}))
	return names
}

// element returns the map and the key of an expression for an element of a map with a literal key, and reports whether it is one.
func element(e ast.Expr) (of ast.Expr, key string, found bool) {
	if e.Kind() == ast.SelectKind {
		return e.AsSelect().Operand(), e.AsSelect().FieldName(), true
	}
	if e.Kind() != ast.CallKind || !slices.Contains([]string{operators.Index, operators.OptIndex, operators.OptSelect}, e.AsCall().FunctionName()) {
		return nil, "", false
	}
	args := e.AsCall().Args()
	if len(args) != 2 || args[1].Kind() != ast.LiteralKind { //nolint:mnd // a map and a key
		return nil, "", false
	}
	text, ok := args[1].AsLiteral().(types.String)
	return args[0], string(text), ok
}

// isField reports whether the expression is that field of the target; empty: any.
func (d *dialect) isField(e ast.Expr, name string) bool {
	return e.Kind() == ast.SelectKind && d.isTarget(e.AsSelect().Operand()) && (name == "" || e.AsSelect().FieldName() == name)
}

// isTarget reports whether the expression is the target. A dot in front of its name says that no variable of a loop is meant.
func (d *dialect) isTarget(e ast.Expr) bool {
	return e.Kind() == ast.IdentKind && strings.TrimPrefix(e.AsIdent(), ".") == d.target
}
