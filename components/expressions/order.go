package expressions

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// orderFunction is a function that no expression can name. It puts the entries of a map in order.
const orderFunction = "@ordered"

func withOrder() cel.EnvOption {
	return cel.Function(orderFunction, cel.Overload(orderFunction+"_dyn", []*cel.Type{cel.DynType}, cel.DynType, cel.UnaryBinding(ordered)))
}

// orderLoops has each loop of the checked expression go through its range in order. CEL goes through a map in the order of Go, which is
// another one each time: the same expression would give another value in each reconcile.
//
// Example: target.labels.map(key, key).join(',') is the list of the keys.
func orderLoops(checked *ast.AST) {
	factory, next := ast.NewExprFactory(), ast.MaxID(checked)
	ast.PostOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind {
			return
		}
		loop := e.AsComprehension()
		next++
		elements := factory.NewCall(next, orderFunction, loop.IterRange())
		e.SetKindCase(factory.NewComprehensionTwoVar(e.ID(), elements, loop.IterVar(), loop.IterVar2(), loop.AccuVar(), loop.AccuInit(),
			loop.LoopCondition(), loop.LoopStep(), loop.Result()))
	}))
}

// ordered returns a map whose entries have an order, and any other value as it is.
func ordered(value ref.Val) ref.Val {
	entries, isMap := value.(traits.Mapper)
	if !isMap {
		return value
	}
	var keys []ref.Val
	for unordered := entries.Iterator(); unordered.HasNext() == types.True; {
		keys = append(keys, unordered.Next())
	}
	slices.SortFunc(keys, func(a, b ref.Val) int {
		textA, isTextA := a.(types.String)
		textB, isTextB := b.(types.String)
		if isTextA && isTextB {
			return strings.Compare(string(textA), string(textB))
		}
		return strings.Compare(typeOf(a)+types.Format(a), typeOf(b)+types.Format(b))
	})
	return &orderedMap{entries, keys}
}

// orderedMap is a map whose entries have an order.
type orderedMap struct {
	traits.Mapper

	keys []ref.Val
}

// Iterator returns the keys in order.
func (m *orderedMap) Iterator() traits.Iterator { return &keyIterator{left: m.keys} }

// Fold calls the folder with the entries in order.
func (m *orderedMap) Fold(folder traits.Folder) {
	for _, key := range m.keys {
		if value, _ := m.Find(key); !folder.FoldEntry(key, value) {
			return
		}
	}
}

type keyIterator struct {
	ref.Val

	left []ref.Val
}

// HasNext reports whether there is a key.
func (i *keyIterator) HasNext() ref.Val { return types.Bool(len(i.left) > 0) }

// Next returns the next key.
func (i *keyIterator) Next() (next ref.Val) {
	next, i.left = i.left[0], i.left[1:]
	return next
}
