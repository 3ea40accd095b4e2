package main

import (
	"go/types"
	"strings"
)

// typeOf returns a type as it is written in this package, with the import paths of others, those of this module without its name.
func (w *writer) typeOf(t types.Type) string {
	if signature, ok := t.(*types.Signature); ok {
		return "func" + w.signature(signature)
	}
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == w.pkg {
			return ""
		}
		return strings.TrimPrefix(pkg.Path(), module+"/")
	})
}

// signature returns the parameters and results of a function, without their names: another name breaks no program.
func (w *writer) signature(of *types.Signature) string {
	params := w.tuple(of.Params())
	if of.Variadic() {
		last := len(params) - 1
		params[last] = "..." + strings.TrimPrefix(params[last], "[]")
	}
	text := w.typeParams(of.TypeParams()) + "(" + strings.Join(params, ", ") + ")"
	switch results := w.tuple(of.Results()); len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	default:
		return text + " (" + strings.Join(results, ", ") + ")"
	}
}

func (w *writer) tuple(of *types.Tuple) []string {
	all := make([]string, 0, of.Len())
	for variable := range of.Variables() {
		all = append(all, w.typeOf(variable.Type()))
	}
	return all
}

func (w *writer) typeParams(of *types.TypeParamList) string {
	if of.Len() == 0 {
		return ""
	}
	all := make([]string, 0, of.Len())
	for param := range of.TypeParams() {
		all = append(all, param.Obj().Name()+" "+w.typeOf(param.Constraint()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// interfaceOf returns all methods in one line: one method more breaks those who implement the interface.
func (w *writer) interfaceOf(of *types.Interface) string {
	if !of.IsMethodSet() {
		return w.typeOf(of)
	}
	all := make([]string, 0, of.NumMethods())
	for method := range of.Methods() {
		all = append(all, method.Name()+w.signature(method.Signature()))
	}
	return "interface{" + strings.Join(all, "; ") + "}"
}
