package primitives_test

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/feature"
	"projection.sh/operator/primitives/internal/filltest"
)

// everything is a mutation that calls each method of a mutator that records something, and in each edit each method of the
// editor. It keeps what it calls them with, as a closure does that is shared by reconciles.
type everything struct {
	calls    func(method string) bool
	recorded map[string][]reflect.Value // arguments of the methods of the mutator
	edited   map[string][]reflect.Value // arguments of the methods of editors
}

func calling(calls func(method string) bool) *everything {
	return &everything{calls: calls, recorded: map[string][]reflect.Value{}, edited: map[string][]reflect.Value{}}
}

// wholes are two mutations: one leaves something of all that it sets, the other removes it again.
func wholes() map[string]*everything {
	removes := func(method string) bool {
		return strings.HasPrefix(method, "Remove") || strings.HasPrefix(method, "Clear")
	}
	return map[string]*everything{
		"sets":    calling(func(method string) bool { return !removes(method) }),
		"removes": calling(func(string) bool { return true }),
	}
}

func (e *everything) mutate(m mutator) error {
	e.callAll(reflect.ValueOf(m), e.recorded)
	return nil
}

// callAll makes arguments only for methods that it has not called before, so that later runs only read them.
func (e *everything) callAll(receiver reflect.Value, kept map[string][]reflect.Value) {
	for i := range receiver.NumMethod() {
		name := receiver.Type().Method(i).Name
		if name == "Apply" || name == "NextFeature" || strings.HasPrefix(name, "Raw") || !e.calls(name) {
			continue
		}
		method, key := receiver.Method(i), receiver.Type().String()+"."+name
		if _, found := kept[key]; !found {
			kept[key] = e.arguments(method)
		}
		filltest.Call(method, kept[key])
	}
}

// arguments fills in what is no function. A function edits everything, or selects everything.
func (e *everything) arguments(method reflect.Value) []reflect.Value {
	arguments := filltest.Arguments(method, "a")
	for i, argument := range arguments {
		if argument.Kind() == reflect.Func {
			arguments[i] = reflect.MakeFunc(argument.Type(), e.callback(argument.Type()))
		}
	}
	return arguments
}

func (e *everything) callback(of reflect.Type) func([]reflect.Value) []reflect.Value {
	if of.Out(0).Kind() == reflect.Bool {
		return func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} }
	}
	return func(arguments []reflect.Value) []reflect.Value {
		e.callAll(arguments[0], e.edited)
		return []reflect.Value{reflect.Zero(of.Out(0))}
	}
}

// requireUntouched checks that all arguments are as they were made.
func (e *everything) requireUntouched(t *testing.T) {
	t.Helper()
	for _, kept := range []map[string][]reflect.Value{e.recorded, e.edited} {
		for name, arguments := range kept {
			for _, argument := range arguments {
				if argument.Kind() != reflect.Func {
					require.Equal(t, filltest.New(argument.Type(), "a").Interface(), argument.Interface(), name)
				}
			}
		}
	}
}

func scramble(kept map[string][]reflect.Value) {
	for _, arguments := range kept {
		for _, argument := range arguments {
			filltest.Scramble(argument)
		}
	}
}

// mutated returns an object of the kind after the mutation.
func mutated(t *testing.T, k kind, e *everything) client.Object {
	t.Helper()
	object := k.object()
	m := k.newMutator(object)
	require.NoError(t, e.mutate(m))
	require.NoError(t, m.Apply())
	return object
}

func forEachWhole(t *testing.T, test func(t *testing.T, k kind, whole *everything)) {
	t.Helper()
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		for name, whole := range wholes() {
			t.Run(name, func(t *testing.T) { test(t, k, whole) })
		}
	})
}

// TestEverythingSetsSomething makes sure that the tests below do not compare objects in which nothing is set.
func TestEverythingSetsSomething(t *testing.T) {
	forEachKind(t, func(t *testing.T, k kind) {
		t.Helper()
		sets := wholes()["sets"]
		object := mutated(t, k, sets)
		assert.Contains(t, object.GetLabels(), "a")
		object.SetLabels(nil)
		object.SetAnnotations(nil)
		assert.NotEqual(t, k.object(), object, "besides the metadata")
		assert.NotEmpty(t, sets.edited)
	})
}

// TestValuesOfTheCallerStayTheirs gives values to all methods and looks whether an object shares memory with them.
func TestValuesOfTheCallerStayTheirs(t *testing.T) {
	forEachWhole(t, func(t *testing.T, k kind, whole *everything) {
		t.Helper()
		object := mutated(t, k, whole)
		want := object.DeepCopyObject()
		whole.requireUntouched(t)
		filltest.Scramble(reflect.ValueOf(object))
		whole.requireUntouched(t)

		object = mutated(t, k, whole)
		assert.Equal(t, want, object, "the same values give the same object")
		scramble(whole.recorded)
		scramble(whole.edited)
		assert.Equal(t, want, object, "later changes of the values do not matter")
	})
}

// TestValuesAreRecorded changes what a mutator was given before it is applied.
func TestValuesAreRecorded(t *testing.T) {
	forEachWhole(t, func(t *testing.T, k kind, whole *everything) {
		t.Helper()
		want := mutated(t, k, whole)
		object := k.object()
		m := k.newMutator(object)
		require.NoError(t, whole.mutate(m))
		scramble(whole.recorded)
		require.NoError(t, m.Apply())
		assert.Equal(t, want, object)
	})
}

// TestSecondApplyRepeats applies a mutator to an object, writes all over what came out, and applies it to the object as it was.
func TestSecondApplyRepeats(t *testing.T) {
	forEachWhole(t, func(t *testing.T, k kind, whole *everything) {
		t.Helper()
		object := k.object()
		m := k.newMutator(object)
		require.NoError(t, whole.mutate(m))
		require.NoError(t, m.Apply())
		want := object.DeepCopyObject()
		filltest.Scramble(reflect.ValueOf(object))
		reflect.ValueOf(object).Elem().Set(reflect.ValueOf(k.object()).Elem())
		require.NoError(t, m.Apply())
		assert.Equal(t, want, object)
	})
}

// TestMutationsCanBeShared lets two reconciles use the same mutations at a time. The race detector finds what they share.
func TestMutationsCanBeShared(t *testing.T) {
	forEachWhole(t, func(t *testing.T, k kind, whole *everything) {
		t.Helper()
		want := mutated(t, k, whole)
		shared := []feature.Mutation[mutator]{{Name: "whole", Mutate: whole.mutate}, labels("a", "1")}
		want.SetLabels(map[string]string{"a": "1"})
		var reconciles sync.WaitGroup
		var results [2]reconciled
		for i := range results {
			reconciles.Go(func() { results[i] = reconcile(k, shared) })
		}
		reconciles.Wait()
		for _, result := range results {
			require.NoError(t, result.err)
			assert.Equal(t, want, result.preview)
			assert.Equal(t, want, result.object)
		}
		filltest.Scramble(reflect.ValueOf(results[0].object))
		assert.Equal(t, want, results[1].object)
		whole.requireUntouched(t)
	})
}

// reconciled is what comes out of mutations.
type reconciled struct {
	preview, object client.Object
	err             error
}

func reconcile(k kind, mutations []feature.Mutation[mutator]) (result reconciled) {
	built, err := k.build(k.object(), options{mutations: mutations})
	if err != nil {
		return reconciled{err: err}
	}
	result.object = k.object()
	if result.preview, result.err = built.Preview(); result.err == nil {
		result.err = built.Mutate(result.object)
	}
	return result
}
