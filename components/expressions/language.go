package expressions

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// macros are those of the language. Each of them is a loop, but for has.
var macros = []cel.Macro{cel.HasMacro, cel.AllMacro, cel.ExistsMacro, cel.MapMacro, cel.MapFilterMacro, cel.FilterMacro}

// functions are those of the language. What they cost follows from the sizes of their arguments, or of what they give. A function of
// Kubernetes 1.32 that is not listed is no part of it.
var functions = map[string]bool{
	operators.LogicalAnd: true, operators.LogicalOr: true, operators.LogicalNot: true, operators.Conditional: true,
	operators.NotStrictlyFalse: true, // of the macros all and exists
	operators.Equals:           true, operators.NotEquals: true, operators.In: true,
	operators.Less: true, operators.LessEquals: true, operators.Greater: true, operators.GreaterEquals: true,
	operators.Add: true, operators.Subtract: true, operators.Multiply: true, operators.Divide: true, operators.Modulo: true, operators.Negate: true,
	operators.Index: true, operators.OptIndex: true, operators.OptSelect: true,
	"optional.none": true, "optional.of": true, "hasValue": true, "or": true, "orValue": true,
	"string": true, "int": true, "dyn": true, "size": true,
	"startsWith": true, "endsWith": true, "contains": true, "matches": true, "lowerAscii": true, "upperAscii": true, "trim": true,
	"substring": true, "replace": true, "split": true, "join": true,
}

// checkLanguage returns an error if the expression is in CEL, but not in the language, or if it is too large. The types are not checked yet:
// what that takes is bounded by what is refused here.
func (d *dialect) checkLanguage(expression ast.Expr) error {
	found := &inventory{dialect: d}
	ast.PreOrderVisit(expression, ast.NewExprVisitor(found.visit))
	switch {
	case found.nodes > maxNodes:
		found.refuse("an expression has at most %d parts", maxNodes)
	case found.loops > maxLoops:
		found.refuse("an expression has at most %d loops: map, filter, exists and all", maxLoops)
	case found.collections > maxCollections:
		found.refuse("an expression has at most %d lists and maps", maxCollections)
	case found.indexes > maxCollections:
		found.refuse("an expression has at most %d indexes", maxCollections)
	case nesting(expression) > maxNesting:
		found.refuse("lists, maps and optional values are nested deeper than %d levels", maxNesting)
	}
	return found.refused
}

// inventory counts the parts of an expression.
type inventory struct {
	dialect                            *dialect
	nodes, loops, collections, indexes int
	// refused is the first part that is not in the language.
	refused error
}

func (i *inventory) refuse(format string, arguments ...any) {
	if i.refused == nil {
		i.refused = &CompileError{Message: fmt.Sprintf(format, arguments...)}
	}
}

func (i *inventory) visit(e ast.Expr) {
	i.nodes++
	switch e.Kind() { //nolint:exhaustive // of the others, there can be as many as there are parts
	case ast.CallKind:
		i.visitCall(e.AsCall())
	case ast.ComprehensionKind:
		i.loops++
	case ast.ListKind:
		i.collections++
	case ast.MapKind:
		i.collections++
		for _, entry := range e.AsMap().Entries() {
			if !isText(entry.AsMapEntry().Key()) {
				i.refuse("the keys of a map are texts in quotes, or string(...)")
			}
		}
	case ast.StructKind:
		i.refuse("an expression cannot create messages")
	}
}

func (i *inventory) visitCall(call ast.CallExpr) {
	name := nameOfFunction(call)
	if !functions[name] && !i.dialect.has(name) {
		i.refuse("the function %s is not supported in expressions", shortened(name))
	}
	switch name {
	case operators.Index, operators.OptIndex:
		i.indexes++
	case "matches":
		if err := checkPattern(call.Args()); err != nil {
			i.refuse("%v", err)
		}
	}
}

// nesting returns how deep values may be nested that the expression makes of lists, maps and optional values. The type of a value grows with
// it, and so does the time that a check takes. What a loop makes may be nested as deep as what it goes through, and deeper.
//
// Example: [[[1]]].map(a, [[[a]]]) makes lists of six levels.
func nesting(expression ast.Expr) int {
	var visit func(e ast.NavigableExpr, depth int) int
	visit = func(e ast.NavigableExpr, depth int) int {
		children := e.Children()
		switch {
		case e.Kind() == ast.ListKind, e.Kind() == ast.MapKind, e.Kind() == ast.CallKind && nameOfFunction(e.AsCall()) == "optional.of":
			depth++
		case e.Kind() == ast.ComprehensionKind: // the first child is what the loop goes through
			depth, children = visit(children[0], depth), children[1:]
		}
		deepest := depth
		for _, child := range children {
			deepest = max(deepest, visit(child, depth))
		}
		return deepest
	}
	return visit(ast.NavigateExpr(ast.NewAST(expression, nil), expression), 0)
}

// checkResolved returns an error if a call of the checked expression is one of a function that is not in the language: a name with dots can be
// that of a function.
//
// Example: sets.contains(a, b) is written like a call of contains.
func (d *dialect) checkResolved(checked *ast.AST) error {
	var refused error
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.CallKind && !functions[e.AsCall().FunctionName()] && !d.has(e.AsCall().FunctionName()) {
			refused = &CompileError{Message: fmt.Sprintf("the function %s is not supported in expressions", e.AsCall().FunctionName())}
		}
	}))
	return refused
}

// nameOfFunction returns the name of the function as far as it is known before the types are checked.
func nameOfFunction(call ast.CallExpr) string {
	if target := call.Target(); call.IsMemberFunction() && target.Kind() == ast.IdentKind && target.AsIdent() == "optional" {
		return "optional." + call.FunctionName()
	}
	return call.FunctionName()
}

// isText reports whether the expression is a text whatever the types of variables are. The type of a map whose key has any type can double
// with each loop. What is added to a text is one.
func isText(key ast.Expr) bool {
	if key.Kind() == ast.LiteralKind {
		_, ok := key.AsLiteral().(types.String)
		return ok
	}
	if key.Kind() != ast.CallKind || key.AsCall().IsMemberFunction() {
		return false
	}
	call := key.AsCall()
	return call.FunctionName() == "string" || call.FunctionName() == operators.Add && slices.ContainsFunc(call.Args(), isText)
}

// checkPattern refuses a regular expression that is no literal, or that is large: the library compiles it when the types are checked.
func checkPattern(args []ast.Expr) error {
	if len(args) == 0 {
		return nil // has too few arguments
	}
	last := args[len(args)-1]
	if last.Kind() != ast.LiteralKind {
		return errors.New("the regular expression of matches is a text in quotes")
	}
	pattern, _ := last.AsLiteral().(types.String)
	if len(pattern) > maxPattern {
		return fmt.Errorf("a regular expression has at most %d characters", maxPattern)
	}
	if parsed, err := syntax.Parse(string(pattern), syntax.Perl); err == nil && stepsOf(parsed) > maxSteps {
		return errors.New("the regular expression is too large: its repetitions count as often as they repeat")
	}
	return nil
}

// stepsOf returns about how many instructions a regular expression is compiled to.
func stepsOf(expression *syntax.Regexp) uint64 {
	inner := uint64(1 + len(expression.Rune))
	for _, sub := range expression.Sub {
		inner = added(inner, stepsOf(sub))
	}
	if expression.Op == syntax.OpRepeat {
		return saturated(inner, uint64(max(expression.Min+1, expression.Max, 1)))
	}
	return inner
}
