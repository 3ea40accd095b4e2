// Package filltest fills values of any type for tests, and writes to all memory that a value leads to. With both, a test
// can tell whether two values share memory.
package filltest

import "reflect"

// maxDepth ends the filling of types that contain themselves.
const maxDepth = 8

// New returns a value of the type in which every field, list and map has something in it, and every string is the text.
func New(of reflect.Type, text string) reflect.Value {
	value := reflect.New(of).Elem()
	fill(value, text, 0)
	return value
}

// Arguments returns such a value for each parameter of a method.
func Arguments(method reflect.Value, text string) []reflect.Value {
	var arguments []reflect.Value
	for parameter := range method.Type().Ins() {
		arguments = append(arguments, New(parameter, text))
	}
	return arguments
}

// Call calls a method with as many arguments as it has parameters.
func Call(method reflect.Value, arguments []reflect.Value) []reflect.Value {
	if method.Type().IsVariadic() {
		return method.CallSlice(arguments)
	}
	return method.Call(arguments)
}

func fill(value reflect.Value, text string, depth int) {
	if !value.CanSet() || depth > maxDepth {
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(text)
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(1)
	case reflect.Uint8:
		value.SetUint('a')
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem(), text, depth+1)
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0), text, depth+1)
	case reflect.Map:
		key, item := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		fill(key, text, depth+1)
		fill(item, text, depth+1)
		value.Set(reflect.MakeMap(value.Type()))
		value.SetMapIndex(key, item)
	case reflect.Struct:
		for _, field := range value.Fields() {
			fill(field, text, depth+1)
		}
	default:
	}
}

// Scramble writes to all memory that the value leads to.
func Scramble(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !value.IsNil() {
			Scramble(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			Scramble(value.Index(i))
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			Scramble(value.MapIndex(key))
		}
		value.Clear()
	case reflect.Struct:
		for _, field := range value.Fields() {
			Scramble(field)
		}
	default:
		if value.CanSet() {
			scrambleScalar(value)
		}
	}
}

func scrambleScalar(value reflect.Value) {
	switch value.Kind() {
	case reflect.String:
		value.SetString("changed")
	case reflect.Bool:
		value.SetBool(!value.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		value.SetInt(value.Int() + 1)
	case reflect.Uint8:
		value.SetUint('z')
	default:
	}
}
