package crd

import (
	"errors"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type rule = apiextensionsv1.ValidationRule

// scope is what the rules of one value can name.
type scope struct {
	schema *structural.Structural
	// required and optional are for rules whose old value is there, and for those that deal with its absence.
	required, optional *cel.Env
}

func newScope(schema *props, isRoot bool) (*scope, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, internal, nil); err != nil {
		return nil, err
	}
	converted, err := structural.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	self := model.SchemaDeclType(converted, isRoot || converted.XEmbeddedResource)
	if self == nil {
		return nil, errors.New("the type of the value is unknown")
	}
	self = self.MaybeAssignTypeName("selfType") // not the name of a variable, which types below it would hide
	s := &scope{schema: converted}
	if s.required, err = environmentOf(self, self.CelType()); err != nil {
		return nil, err
	}
	s.optional, err = environmentOf(self, types.NewOptionalType(self.CelType()))
	return s, err
}

// environmentOf returns the environment in which API servers compile rules that are stored.
func environmentOf(self *apiservercel.DeclType, oldSelf *cel.Type) (*cel.Env, error) {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable(schemacel.ScopedVarName, self.CelType()), cel.Variable(schemacel.OldScopedVarName, oldSelf)},
		DeclTypes:         []*apiservercel.DeclType{self},
	})
	if err != nil {
		return nil, err
	}
	return set.StoredExpressionsEnv(), nil
}

// compile returns the expressions of the rule, with the types of their parts.
func (s *scope) compile(rule rule) (compiled []*cel.Ast, err error) {
	env := s.required
	if rule.OptionalOldSelf != nil && *rule.OptionalOldSelf {
		env = s.optional
	}
	for _, text := range []string{rule.Rule, rule.MessageExpression} {
		if text == "" {
			continue
		}
		expression, issues := env.Compile(text)
		if issues != nil {
			return nil, errors.New(issues.Errors()[0].Message)
		}
		compiled = append(compiled, expression)
	}
	return compiled, nil
}

// compiles reports whether all that the rule names is there.
func (s *scope) compiles(rule rule) bool {
	if _, err := s.compile(rule); err != nil {
		return false
	}
	if rule.FieldPath == "" {
		return true
	}
	_, _, err := schemacel.ValidFieldPath(rule.FieldPath, s.schema)
	return err == nil
}

// understands returns an error if what the rule names can be known by evaluating it only.
func (s *scope) understands(rule rule) error {
	compiled, err := s.compile(rule)
	if err != nil {
		return err
	}
	for _, expression := range compiled {
		if readsUntyped(expression.NativeRep()) {
			return errors.New("it reads fields of a value whose type is not known before")
		}
	}
	return nil
}

// readsUntyped reports whether the expression reads a part of a value whose type is not known.
func readsUntyped(checked *ast.AST) (found bool) {
	isUntyped := func(e ast.Expr) bool {
		of := checked.GetType(e.ID())
		if of.Kind() == types.OpaqueKind && len(of.Parameters()) == 1 { // an optional value
			of = of.Parameters()[0]
		}
		return of.Kind() == types.DynKind
	}
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			found = found || isUntyped(e.AsSelect().Operand())
		case ast.ComprehensionKind:
			found = found || isUntyped(e.AsComprehension().IterRange())
		case ast.CallKind:
			call := e.AsCall()
			switch call.FunctionName() {
			case operators.Index, operators.OptIndex, operators.OptSelect:
				found = found || isUntyped(call.Args()[0])
			case operators.In:
				found = found || isUntyped(call.Args()[1])
			}
		default: // has no part that is read
		}
	}))
	return found
}
