package expressions

import (
	"github.com/google/cel-go/common/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Name is a compiled expression for the name of a copy. It sees of a source its name, namespace and labels, and nothing else. It is safe for
// concurrent use.
type Name struct {
	stopwatch

	expression *Expression
}

// CompileName compiles the expression, which is of a rule of the tenant. An error is a CompileError.
func CompileName(tenant, text string, timing Timing) (*Name, error) {
	expression, err := Compile(tenant, text)
	if err != nil {
		return nil, err
	}
	if !expression.mayBeText {
		return nil, &CompileError{Message: "the result is not a string, and a name is one"}
	}
	return &Name{stopwatch: stopwatch{timing: timing}, expression: expression}, nil
}

// Names returns what the expression names.
func (n *Name) Names() Names { return n.expression.Names() }

// Of returns what the expression gives for a source and a target. An error is an EvaluationError.
func (n *Name) Of(source metav1.Object, target Target) (name string, err error) {
	labels := make(map[string]any, len(source.GetLabels()))
	for key, value := range source.GetLabels() {
		labels[key] = value
	}
	seen := map[string]any{"metadata": map[string]any{"name": source.GetName(), "namespace": source.GetNamespace(), "labels": labels}}
	err = n.timed(costOfTarget, func(spent *meter) error {
		result, err := n.expression.evaluate(seen, target, spent)
		if err != nil {
			return err
		}
		text, isText := result.(types.String)
		if !isText {
			return notConvertible("the result is of type %s, and a name is a string", typeOf(result))
		}
		name = string(text)
		return nil
	})
	return name, err
}
