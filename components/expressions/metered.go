package expressions

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	celfunctions "github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apiserver/pkg/cel/library"
)

// implementations are those of the functions of the environment, by the names of functions and overloads.
type implementations map[string]*celfunctions.Overload

func implementationsIn(env *cel.Env) (implementations, error) {
	known := implementations{
		operators.Equals:    {Binary: types.Equal},
		operators.NotEquals: {Binary: notEqual},
	}
	for name := range prices {
		if _, found := env.Functions()[name]; !found {
			return nil, fmt.Errorf("the environment of expressions has no function %s", name)
		}
	}
	for name, declared := range env.Functions() {
		if known[name] != nil {
			continue
		}
		bindings, err := declared.Bindings()
		if err != nil {
			return nil, err
		}
		for _, binding := range bindings {
			known[binding.Operator] = binding
		}
	}
	return known, nil
}

func notEqual(a, b ref.Val) ref.Val {
	if types.Equal(a, b) == types.True {
		return types.False
	}
	return types.True
}

// add returns the sum. That of two lists is a list with their elements: the library gives one that asks both for each element, so that the
// elements of a sum of many lists are found slowly.
func add(a, b ref.Val) ref.Val {
	first, isList := a.(traits.Lister)
	second, areLists := b.(traits.Lister)
	if _, inPlace := a.(traits.MutableLister); isList && areLists && !inPlace {
		elements := make([]ref.Val, 0, sizeOf(first)+sizeOf(second))
		for _, list := range []traits.Lister{first, second} {
			for left := list.Iterator(); left.HasNext() == types.True; {
				elements = append(elements, left.Next())
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, elements)
	}
	summand, ok := a.(traits.Adder)
	if !ok {
		return types.NewErr("no such overload: %s", operators.Add)
	}
	return summand.Add(b)
}

// decorate has each part of an expression paid from the meter before it is evaluated. Constants cost nothing.
func (i implementations) decorate(node interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	switch node := node.(type) {
	case *meteredAttribute, interpreter.InterpretableConst:
		return node, nil
	case interpreter.InterpretableAttribute:
		return &meteredAttribute{node, 1}, nil
	case interpreter.InterpretableConstructor:
		return &meteredLiteral{node}, nil
	case interpreter.InterpretableCall:
		if function := node.Function(); function == "or" || function == "orValue" {
			return &meteredNode{&alternative{node}}, nil
		}
		implementation := i[node.OverloadID()]
		if implementation == nil {
			implementation = i[node.Function()]
		}
		if node.Function() == operators.Add {
			implementation = &celfunctions.Overload{Binary: add}
		}
		if implementation != nil && !implementation.NonStrict && len(node.Args()) > 0 {
			return &meteredCall{call: node, price: priceOf(node.Function()), implementation: implementation}, nil
		}
	}
	return &meteredNode{node}, nil
}

// meteredNode is a part of an expression whose work is the same for all values, or is that of its parts, such as a loop.
type meteredNode struct{ interpreter.InterpretableV2 }

// Eval returns the value.
func (n *meteredNode) Eval(variables interpreter.Activation) ref.Val {
	return n.Exec(interpreter.AsFrame(variables))
}

// Exec returns the value.
func (n *meteredNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).pay(1)
	return n.InterpretableV2.Exec(frame)
}

// meteredAttribute is a variable, or a conditional expression, with the selections and indexes behind it. Each of them is a step. As a part of
// another attribute, it is not evaluated but resolved.
type meteredAttribute struct {
	interpreter.InterpretableAttribute

	steps uint64
}

// Attr returns the attribute that is metered.
func (a *meteredAttribute) Attr() interpreter.Attribute { return a }

// AddQualifier adds a step.
func (a *meteredAttribute) AddQualifier(step interpreter.Qualifier) (interpreter.Attribute, error) {
	a.steps++
	_, err := a.InterpretableAttribute.AddQualifier(step)
	return a, err
}

// Eval returns the value.
func (a *meteredAttribute) Eval(variables interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(variables))
}

// Exec returns the value.
func (a *meteredAttribute) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	meterOf(frame).pay(a.steps)
	return a.InterpretableAttribute.Exec(frame)
}

// Resolve returns the value.
func (a *meteredAttribute) Resolve(variables interpreter.Activation) (any, error) {
	meterOf(variables).pay(a.steps)
	return a.InterpretableAttribute.Resolve(variables)
}

// Qualify returns the element of the object that the attribute names.
func (a *meteredAttribute) Qualify(variables interpreter.Activation, object any) (any, error) {
	meterOf(variables).pay(a.steps)
	return a.InterpretableAttribute.Qualify(variables, object)
}

// QualifyIfPresent returns the element of the object that the attribute names, if there is one.
func (a *meteredAttribute) QualifyIfPresent(variables interpreter.Activation, object any, presenceOnly bool) (any, bool, error) {
	meterOf(variables).pay(a.steps)
	return a.InterpretableAttribute.QualifyIfPresent(variables, object, presenceOnly)
}

// meteredCall is a call that is paid before it is made. The planner does not see that it is one, or it would replace calls with a constant
// regular expression.
type meteredCall struct {
	call           interpreter.InterpretableCall
	price          price
	implementation *celfunctions.Overload
}

// ID returns the place in the expression.
func (c *meteredCall) ID() int64 { return c.call.ID() }

// Eval makes the call.
func (c *meteredCall) Eval(variables interpreter.Activation) ref.Val {
	return c.Exec(interpreter.AsFrame(variables))
}

// Exec makes the call.
func (c *meteredCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	budget := meterOf(frame)
	budget.pay(1)
	nodes := c.call.Args()
	args := make([]ref.Val, len(nodes))
	for i, node := range nodes {
		if args[i] = node.Exec(frame); types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	budget.pay(max(c.price(args, budget.left()), c.priceOfLibrary(args)))
	return types.LabelErrNode(c.ID(), c.invoke(args))
}

// priceOfLibrary is what the call costs in the API server. Of the functions whose cost depends on the result there, the price says it.
func (c *meteredCall) priceOfLibrary(args []ref.Val) uint64 {
	cost := (&library.CostEstimator{}).CallCost(c.call.Function(), c.call.OverloadID(), args, types.NullValue)
	if cost == nil {
		return 0
	}
	return *cost
}

func (c *meteredCall) invoke(args []ref.Val) ref.Val {
	with := c.implementation
	switch {
	case with.OperandTrait != 0 && !args[0].Type().HasTrait(with.OperandTrait):
	case len(args) == 1 && with.Unary != nil:
		return with.Unary(args[0])
	case len(args) == 2 && with.Binary != nil: //nolint:mnd // of a binary operator
		return with.Binary(args[0], args[1])
	case with.Function != nil:
		return with.Function(args...)
	}
	return types.NewErr("no such overload: %s", c.call.Function())
}

// alternative is a call of or, or of orValue: it evaluates its second argument only if the first one is an optional without a value.
type alternative struct{ interpreter.InterpretableCall }

// Eval returns the value.
func (a *alternative) Eval(variables interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(variables))
}

// Exec returns the value.
func (a *alternative) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	first := a.Args()[0].Exec(frame)
	if types.IsUnknownOrError(first) {
		return first
	}
	switch optional, ok := first.(*types.Optional); {
	case !ok:
		return types.NewErr("no such overload: %s", a.Function())
	case !optional.HasValue():
		return a.Args()[1].Exec(frame)
	case a.Function() == "or":
		return first
	default:
		return optional.GetValue()
	}
}

// meteredLiteral is the literal of a list or map that pays for all that it holds: values can hold the same large value many times.
//
// Example: [[source, source]].map(a, [[a, a]].map(b, [[b, b]].map(c, ...))) doubles with each level.
type meteredLiteral struct {
	interpreter.InterpretableConstructor
}

// Eval returns the value.
func (l *meteredLiteral) Eval(variables interpreter.Activation) ref.Val {
	return l.Exec(interpreter.AsFrame(variables))
}

// Exec returns the value.
func (l *meteredLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	value, budget := l.InterpretableConstructor.Exec(frame), meterOf(frame)
	cost := uint64(common.MapCreateBaseCost)
	if l.Type() == types.ListType {
		cost = common.ListCreateBaseCost
	}
	budget.pay(added(cost, weightOf(value, budget.left())/weightOfStep))
	return value
}
