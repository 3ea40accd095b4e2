package expressions

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// kubernetes is the version of Kubernetes of whose language that of expressions is a part: the oldest one that is supported. What is an
// expression here means the same there.
var kubernetes = version.MajorMinor(1, 32)

// loadedEnvironment is what expressions are compiled with.
type loadedEnvironment struct {
	*cel.Env
	interpreter.Interpreter

	metered implementations
}

func newEnvironment(of *dialect) (*loadedEnvironment, error) {
	target := of.targetType()
	set, err := environment.MustBaseEnvSet(kubernetes).Extend(environment.VersionedOptions{
		IntroducedVersion: kubernetes,
		EnvOptions: append([]cel.EnvOption{
			cel.ClearMacros(), cel.Macros(macros...),
			cel.Variable(of.object, cel.DynType), cel.Variable(of.target, target.CelType()), withOrder(),
		}, of.options()...),
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
