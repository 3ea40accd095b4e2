package convert

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template/parse"
)

// scope is what a template knows: the expressions for its roots.
type scope struct {
	roots map[string]string
	// refused are roots that have no counterpart, and why.
	refused map[string]string
	// exists are the expressions for whether the value of a root exists that is none of an object.
	exists map[string]string
	// refuses reports why the path below a root has no counterpart; nil: each has one.
	refuses func(root string, below path) string
}

// expression is what a template became.
type expression struct {
	text string
	// needs are the expressions for whether the values exist that it reads, but for the metadata that each object has.
	needs []string
	// hashes reports whether it has a hash.
	hashes bool
	// whole is the path of the value of an object that it is; nil: it is something else.
	whole *path
}

// guarded returns the expression for a field, which stays as it is if a value does not exist that the expression reads.
func (e expression) guarded() string {
	if len(e.needs) == 0 {
		return e.text
	}
	return strings.Join(e.needs, " && ") + " ? optional.of(" + e.text + ") : optional.none()"
}

// translator makes an expression of a template.
type translator struct {
	scope scope
	made  expression
}

// translate returns the expression with the result of the Go template.
func (s scope) translate(template string) (expression, error) {
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(template, "", "", map[string]*parse.Tree{}); err != nil {
		return expression{}, errors.New("the template cannot be read")
	}
	t := &translator{scope: s}
	var parts []string
	nodes := tree.Root.Nodes
	for i, node := range nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			text := string(node.Text)
			if i == 0 { // api-syncagent takes space away at both ends
				text = strings.TrimLeft(text, " \t\r\n")
			}
			if i == len(nodes)-1 {
				text = strings.TrimRight(text, " \t\r\n")
			}
			if text != "" {
				parts = append(parts, quote(text))
			}
		case *parse.ActionNode:
			value, err := t.pipe(node.Pipe)
			if err != nil {
				return expression{}, err
			}
			parts = append(parts, value.asText())
		default:
			return expression{}, errors.New("the template has more than values: if, range, with or others")
		}
	}
	t.made.text = strings.Join(parts, " + ")
	if len(parts) == 0 {
		t.made.text = "''"
	}
	if len(parts) != 1 {
		t.made.whole = nil
	}
	return t.made, nil
}

// term is a part of an expression.
type term struct {
	text   string
	isText bool // whether it is known to be a string
	// isConstant reports whether it is a literal, whose value is constant.
	isConstant bool
	constant   string
}

func (t term) asText() string {
	if t.isText {
		return t.text
	}
	return "string(" + t.text + ")"
}

func (t *translator) pipe(pipe *parse.PipeNode) (value term, err error) {
	if len(pipe.Decl) > 0 {
		return term{}, errors.New("the template has a variable")
	}
	for i, command := range pipe.Cmds {
		var piped []term
		if i > 0 {
			piped = []term{value}
		}
		if value, err = t.command(command, piped); err != nil {
			return term{}, err
		}
	}
	return value, nil
}

// command evaluates a function, or what stands alone.
func (t *translator) command(command *parse.CommandNode, piped []term) (term, error) {
	function, isFunction := command.Args[0].(*parse.IdentifierNode)
	if !isFunction {
		if len(command.Args) > 1 || len(piped) > 0 {
			return term{}, errors.New("the template calls a value")
		}
		return t.argument(command.Args[0])
	}
	var arguments []term
	for _, argument := range command.Args[1:] {
		value, err := t.argument(argument)
		if err != nil {
			return term{}, err
		}
		arguments = append(arguments, value)
	}
	t.made.whole = nil
	return t.call(function.Ident, append(arguments, piped...))
}

func (t *translator) argument(node parse.Node) (term, error) {
	switch node := node.(type) {
	case *parse.FieldNode:
		return t.field(node.Ident)
	case *parse.StringNode:
		return term{text: quote(node.Text), isText: true, isConstant: true, constant: node.Text}, nil
	case *parse.NumberNode:
		return term{text: node.Text, isConstant: true, constant: node.Text}, nil
	case *parse.PipeNode:
		return t.pipe(node)
	default:
		return term{}, fmt.Errorf("the template has %s", node)
	}
}

// field returns the value of a field of a root.
func (t *translator) field(names []string) (term, error) {
	root, below := names[0], path(names[1:])
	if why := t.scope.refused[root]; why != "" {
		return term{}, errors.New(why)
	}
	variable, isKnown := t.scope.roots[root]
	if !isKnown {
		return term{}, fmt.Errorf("the template names .%s", root)
	}
	if t.scope.refuses != nil {
		if why := t.scope.refuses(root, below); why != "" {
			return term{}, errors.New(why)
		}
	}
	if exists := t.scope.exists[root]; exists != "" && !slices.Contains(t.made.needs, exists) {
		t.made.needs = append(t.made.needs, exists)
	}
	if len(below) == 0 {
		return term{text: variable, isText: variable == clusterName}, nil
	}
	value, exists := below.in(variable)
	isGiven := len(below) == 2 && below[0] == metadataField && slices.Contains([]string{"name", "namespace", "uid"}, below[1])
	if !isGiven && !slices.Contains(t.made.needs, exists) {
		t.made.needs = append(t.made.needs, exists)
	}
	t.made.whole = &below
	return term{text: value, isText: isGiven}, nil
}
