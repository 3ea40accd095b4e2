package main

import (
	"go/types"
	"slices"
	"strings"
)

// linesOf returns a line for each exported name of a package, and for each method and field of its types, sorted.
func linesOf(pkg *types.Package) []string {
	w := writer{pkg: pkg}
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			w.object(object)
		}
	}
	names := strings.NewReplacer(w.aliases...)
	for i, line := range w.lines {
		w.lines[i] = names.Replace(line)
	}
	slices.Sort(w.lines)
	return slices.Compact(w.lines)
}

type writer struct {
	pkg   *types.Package
	lines []string
	// aliases are types of internal packages, each followed by the name that it has in this one.
	aliases []string
}

func (w *writer) add(parts ...string) { w.lines = append(w.lines, strings.Join(parts, "")) }

func (w *writer) object(object types.Object) {
	name := object.Name()
	switch object := object.(type) {
	case *types.Const:
		// The value, too: others compare conditions and metrics with it.
		w.add("const ", name, " ", w.typeOf(object.Type()), " = ", object.Val().ExactString())
	case *types.Var:
		w.add("var ", name, " ", w.typeOf(object.Type()))
	case *types.Func:
		w.add("func ", name, w.signature(object.Signature()))
	case *types.TypeName:
		w.typeName(object)
	}
}

func (w *writer) typeName(object *types.TypeName) {
	name := object.Name()
	if alias, ok := object.Type().(*types.Alias); ok {
		if !ofInternal(alias.Rhs()) {
			w.add("type ", name, w.typeParams(alias.TypeParams()), " = ", w.typeOf(alias.Rhs()))
			return // it has lines where it is public
		}
		w.aliases = append(w.aliases, w.typeOf(alias.Rhs()), name)
	}
	switch underlying := object.Type().Underlying().(type) {
	case *types.Interface:
		w.add("type ", name, w.paramsOf(object), " ", w.interfaceOf(underlying))
		return
	case *types.Struct:
		w.add("type ", name, w.paramsOf(object), " struct")
		before := len(w.lines)
		w.fields(name, underlying)
		// Who compares values can also see what is in them: editors and mutators are handed on as pointers.
		if len(w.lines) > before && types.Comparable(object.Type()) {
			w.add("comparable ", name)
		}
	default:
		w.add("type ", name, w.paramsOf(object), " ", w.typeOf(underlying))
	}
	w.methods(name, object.Type())
}

// paramsOf returns the type parameters of a type that is no alias.
func (w *writer) paramsOf(object *types.TypeName) string {
	if named, ok := object.Type().(*types.Named); ok {
		return w.typeParams(named.TypeParams())
	}
	return ""
}

// fields adds the exported fields, and those of embedded structs that others cannot name.
func (w *writer) fields(name string, of *types.Struct) {
	for i := range of.NumFields() {
		field := of.Field(i)
		hidden := !field.Exported() || ofInternal(field.Type())
		if !field.Embedded() || !hidden {
			if field.Exported() {
				w.add("field ", name, ".", field.Name(), " ", w.typeOf(field.Type()), tagOf(of.Tag(i)))
			}
			continue
		}
		if embedded, ok := pointedTo(field.Type()).Underlying().(*types.Struct); ok {
			w.fields(name, embedded)
		}
	}
}

// tagOf returns the tag of a field as it is written: it decides the name in JSON and YAML.
func tagOf(tag string) string {
	if tag == "" {
		return ""
	}
	return " `" + tag + "`"
}

// ofInternal reports whether a type, or what it points to, is declared in an internal package.
func ofInternal(t types.Type) bool {
	named, ok := pointedTo(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && isInternal(named.Obj().Pkg().Path())
}

func pointedTo(t types.Type) types.Type {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Unalias(pointer.Elem())
	}
	return types.Unalias(t)
}

// methods adds the exported methods, also those of embedded types. One that only a pointer has says so.
func (w *writer) methods(name string, of types.Type) {
	ofValue := types.NewMethodSet(of)
	for selection := range types.NewMethodSet(types.NewPointer(of)).Methods() {
		method := selection.Obj()
		if !method.Exported() {
			continue
		}
		receiver := name
		if ofValue.Lookup(method.Pkg(), method.Name()) == nil {
			receiver = "*" + name
		}
		w.add("method (", receiver, ") ", method.Name(), w.signature(selection.Type().(*types.Signature)))
	}
}
