package expressions

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Expression is a compiled expression. It is safe for concurrent use.
type Expression struct {
	names   Names
	program interpreter.InterpretableV2
	source  *ast.SourceInfo
	nodes   int
	dialect *dialect
	// mayBeText and mayBeBool report whether the result can be a text, or true or false, as far as the types say.
	mayBeText, mayBeBool bool
}

// Target is the namespace of a copy, as expressions see it, or the cluster of a consumer.
type Target struct {
	Name                string
	Labels, Annotations map[string]string
	// ID is that of a cluster. A namespace has none.
	ID string
}

// slots bound how many sources and targets are evaluated at a time: some need a hundred megabytes.
var slots = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)) //nolint:mnd // the other half does everything else

// compiler has one expression compiled at a time: what that takes is bounded for each.
var compiler sync.Mutex

// Compile returns the expression of that text, which is of a rule of the tenant. An error is a CompileError.
func Compile(tenant, text string) (*Expression, error) { return ofRules.compile(tenant, text) }

func (d *dialect) compile(tenant, text string) (*Expression, error) {
	if len(text) > maxText { // and is not kept
		return nil, &CompileError{Message: fmt.Sprintf("an expression has at most %d characters", maxText)}
	}
	return d.compiled.get(tenant, text, d.compileNew)
}

func (d *dialect) compileNew(text string) (*Expression, error) {
	compiler.Lock()
	defer compiler.Unlock()
	env, err := d.load()
	if err != nil {
		return nil, err
	}
	checked, err := d.check(env, text)
	if err != nil {
		return nil, err
	}
	orderLoops(checked.NativeRep())
	expression := &Expression{
		names: d.namesIn(checked.NativeRep()), dialect: d, source: checked.NativeRep().SourceInfo(), nodes: nodesIn(checked.NativeRep().Expr()),
		mayBeText: mayBe(checked, cel.StringType), mayBeBool: mayBe(checked, cel.BoolType),
	}
	if expression.program, err = env.NewInterpretable(checked.NativeRep(), interpreter.CustomDecoratorV2(env.metered.decorate)); err != nil {
		return nil, &CompileError{Message: err.Error()}
	}
	return expression, nil
}

// mayBe reports whether the result can be of the type, as far as the types say.
func mayBe(checked *cel.Ast, of *cel.Type) bool {
	return checked.OutputType().IsAssignableType(of) || checked.OutputType().IsExactType(cel.DynType)
}

// check returns the checked expression.
func (d *dialect) check(env *loadedEnvironment, text string) (*cel.Ast, error) {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return nil, compileError(issues)
	}
	if err := d.checkLanguage(parsed.NativeRep().Expr()); err != nil {
		return nil, err
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		return nil, compileError(issues)
	}
	return checked, d.checkResolved(checked.NativeRep())
}

// nodesIn returns how many parts the expression has.
func nodesIn(expression ast.Expr) (nodes int) {
	ast.PreOrderVisit(expression, ast.NewExprVisitor(func(ast.Expr) { nodes++ }))
	return nodes
}

// weight is what a compiled expression takes in the cache, in parts. Nil is that of a text which cannot be compiled.
func (e *Expression) weight() int {
	if e == nil {
		return 0
	}
	return e.nodes
}

// Names returns what the expression names.
func (e *Expression) Names() Names { return e.names }

// evaluate returns the result for the source and the target, and takes what it costs from the meter. An error is an EvaluationError.
func (e *Expression) evaluate(source any, target Target, spent *meter) (ref.Val, error) {
	variables := map[string]any{e.dialect.object: source, meterVariable: spent}
	if e.names.Target {
		variables[e.dialect.target] = e.dialect.valueOf(target)
	}
	result, err := e.run(variables)
	if failed, isError := result.(*types.Err); err == nil && isError {
		err = failed
	}
	if err == nil && types.IsUnknown(result) {
		err = fmt.Errorf("no value: %v", result)
	}
	if err != nil {
		return nil, e.failure(err)
	}
	return result, nil
}

// run runs the program. A panic is the meter's, or a fault of a function; it is an error of this expression only.
func (e *Expression) run(variables map[string]any) (result ref.Val, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case interpreter.EvalCancelledError:
			err = cause
		default:
			err = fmt.Errorf("internal error: %v", cause)
		}
	}()
	frame, err := interpreter.NewExecutionFrame(variables)
	if err != nil {
		return nil, err
	}
	defer frame.Close()
	return e.program.Exec(frame), nil
}

func emptyIfNil(texts map[string]string) map[string]string {
	if texts == nil {
		return map[string]string{}
	}
	return texts
}

func (e *Expression) failure(err error) error {
	failed := &EvaluationError{Cause: causeOf(err), Detail: shortened(err.Error())}
	if failed.Cause == TooCostly || failed.Cause == Overtime {
		failed.Detail = string(failed.Cause)
	}
	if at := (*types.Err)(nil); errors.As(err, &at) && at.NodeID() != 0 {
		if location := e.source.GetStartLocation(at.NodeID()); location.Line() > 0 {
			failed.Position = position(location)
		}
	}
	return failed
}

// maxDetail is how many bytes of what an evaluation said are told.
const maxDetail = 256

// shortened returns the text in one line, and not more of it than can be told.
func shortened(text string) string {
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "..."
	}
	return strings.Join(strings.Fields(text), " ")
}
