package expressions

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// The variables of expressions.
const (
	sourceVariable = "source"
	targetVariable = "target"
)

// The fields of the variable target.
const (
	nameField        = "name"
	labelsField      = "labels"
	annotationsField = "annotations"
)

// kubernetes is the version of Kubernetes of whose language that of expressions is a part: the oldest one that is supported. What is an
// expression here means the same there.
var kubernetes = version.MajorMinor(1, 32)

// loadEnvironment returns the environment, which the first rule with an expression builds.
var loadEnvironment = sync.OnceValues(newEnvironment)

// loadedEnvironment is what expressions are compiled with.
type loadedEnvironment struct {
	*cel.Env
	interpreter.Interpreter

	metered implementations
}

func newEnvironment() (*loadedEnvironment, error) {
	texts := apiservercel.NewMapType(apiservercel.StringType, apiservercel.StringType, -1)
	target := apiservercel.NewObjectType("projection.Target", map[string]*apiservercel.DeclField{
		nameField:        apiservercel.NewDeclField(nameField, apiservercel.StringType, true, nil, nil),
		labelsField:      apiservercel.NewDeclField(labelsField, texts, true, nil, nil),
		annotationsField: apiservercel.NewDeclField(annotationsField, texts, true, nil, nil),
	})
	set, err := environment.MustBaseEnvSet(kubernetes).Extend(environment.VersionedOptions{
		IntroducedVersion: kubernetes,
		EnvOptions: []cel.EnvOption{
			cel.ClearMacros(), cel.Macros(macros...),
			cel.Variable(sourceVariable, cel.DynType), cel.Variable(targetVariable, target.CelType()), withOrder(),
		},
		DeclTypes: []*apiservercel.DeclType{target},
	})
	if err != nil {
		return nil, fmt.Errorf("build the environment of expressions: %w", err)
	}
	env := set.NewExpressionsEnv()
	metered, err := implementationsIn(env)
	if err != nil {
		return nil, err
	}
	interpreter, err := newInterpreter(env)
	return &loadedEnvironment{env, interpreter, metered}, err
}

// newInterpreter returns an interpreter for the environment. The programs of the environment would be tracked by CEL as well, which takes a
// time that grows with the square of the steps of a loop.
func newInterpreter(env *cel.Env) (interpreter.Interpreter, error) {
	functions := interpreter.NewDispatcher()
	for _, declared := range env.Functions() {
		bindings, err := declared.Bindings()
		if err != nil {
			return nil, fmt.Errorf("build the environment of expressions: %w", err)
		}
		if err := functions.Add(bindings...); err != nil {
			return nil, fmt.Errorf("build the environment of expressions: %w", err)
		}
	}
	attributes := interpreter.NewAttributeFactory(env.Container, env.CELTypeAdapter(), env.CELTypeProvider())
	return interpreter.NewInterpreter(functions, env.Container, env.CELTypeProvider(), env.CELTypeAdapter(), attributes), nil
}
