package expressions

import "github.com/google/cel-go/common/types"

// Published is a compiled expression of a PublishedResource. It knows two variables: object, an object of a consumer or the copy of one, and cluster,
// the RemoteCluster of the consumer: a Target with an ID. It is safe for concurrent use.
type Published struct{ expression *Expression }

// CompilePublishedText compiles an expression for a text, and CompilePublishedBool one that is true or false. An error is a CompileError.
func CompilePublishedText(tenant, text string) (*Published, error) {
	expression, err := ofPublications.compile(tenant, text)
	if err != nil {
		return nil, err
	}
	if !expression.mayBeText {
		return nil, &CompileError{Message: "the result is not a string"}
	}
	return &Published{expression}, nil
}

// CompilePublishedBool compiles an expression that is true or false. An error is a CompileError.
func CompilePublishedBool(tenant, text string) (*Published, error) {
	expression, err := ofPublications.compile(tenant, text)
	if err != nil {
		return nil, err
	}
	if !expression.mayBeBool {
		return nil, &CompileError{Message: "the result is not true or false"}
	}
	return &Published{expression}, nil
}

// Text returns the text that the expression gives. An error is an EvaluationError.
func (p *Published) Text(object map[string]any, cluster Target) (text string, err error) {
	err = (&stopwatch{}).timed(costOfTarget, func(spent *meter) error {
		result, err := p.expression.evaluate(object, cluster, spent)
		if err != nil {
			return err
		}
		given, isText := result.(types.String)
		if !isText {
			return notConvertible("the result is of type %s, and not a string", typeOf(result))
		}
		text = string(given)
		return nil
	})
	return text, err
}

// Holds returns whether the expression is true. An error is an EvaluationError.
func (p *Published) Holds(object map[string]any, cluster Target) (holds bool, err error) {
	err = (&stopwatch{}).timed(costOfTarget, func(spent *meter) error {
		result, err := p.expression.evaluate(object, cluster, spent)
		if err != nil {
			return err
		}
		given, isBool := result.(types.Bool)
		if !isBool {
			return notConvertible("the result is of type %s, and not true or false", typeOf(result))
		}
		holds = bool(given)
		return nil
	})
	return holds, err
}

// CompilePublishedFields compiles the expressions of a PublishedResource for values of fields. An error is a FieldError with a CompileError.
func CompilePublishedFields(tenant string, list []Field) (*Fields, error) {
	return ofPublications.compileFields(tenant, list)
}
