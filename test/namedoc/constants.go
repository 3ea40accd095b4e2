package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// constant is an exported string constant, and what its comment says of it.
type constant struct{ name, value, meaning string }

// files of the API package that hold names.
var files = []string{"keys.go", "conditions.go"}

// constantsOf returns the string constants of these files, in their order.
func constantsOf(dir string) ([]constant, error) {
	var found []constant
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		values := map[string]string{}
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				of, err := constantOf(spec, group.Doc, values)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				values[of.name] = of.value
				found = append(found, of)
			}
		}
	}
	return found, nil
}

// constantOf returns one constant. One without a comment of its own has that of its group.
func constantOf(spec ast.Spec, group *ast.CommentGroup, values map[string]string) (constant, error) {
	declared, ok := spec.(*ast.ValueSpec)
	if !ok || len(declared.Names) != 1 || len(declared.Values) != 1 {
		return constant{}, fmt.Errorf("%v is not one constant with a value", spec)
	}
	of := constant{name: declared.Names[0].Name}
	var err error
	if of.value, err = evaluate(declared.Values[0], values); err != nil {
		return constant{}, fmt.Errorf("%s: %w", of.name, err)
	}
	comment := declared.Doc
	if comment == nil {
		comment = group
	}
	of.meaning = meaning(of.name, comment.Text())
	if of.meaning == "" {
		return constant{}, fmt.Errorf("%s has no comment", of.name)
	}
	return of, nil
}

// evaluate returns the value of a string, of an earlier constant, or of a sum of such.
func evaluate(expression ast.Expr, values map[string]string) (string, error) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		return strconv.Unquote(expression.Value)
	case *ast.Ident:
		if value, known := values[expression.Name]; known {
			return value, nil
		}
	case *ast.BinaryExpr:
		left, err := evaluate(expression.X, values)
		if err != nil {
			return "", err
		}
		right, err := evaluate(expression.Y, values)
		return left + right, err
	}
	return "", fmt.Errorf("%T is no string", expression)
}

// meaning returns the comment as a sentence without the name of the constant.
func meaning(name, comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	text = strings.TrimPrefix(strings.TrimPrefix(text, name), ":")
	text = strings.TrimPrefix(strings.TrimSpace(text), "is ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
