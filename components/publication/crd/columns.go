package crd

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/util/jsonpath"

	"projection.sh/operator/mutations/paths"
)

// hideInColumns removes what shows a hidden field from what a version has besides its schema: columns, selectable fields, and the scale subresource.
// A column also goes if what it shows cannot be said.
func (h hidden) hideInColumns(version *apiextensionsv1.CustomResourceDefinitionVersion) {
	version.AdditionalPrinterColumns = slices.DeleteFunc(version.AdditionalPrinterColumns, func(column apiextensionsv1.CustomResourceColumnDefinition) bool {
		return h.isShownBy(column.JSONPath)
	})
	version.SelectableFields = slices.DeleteFunc(version.SelectableFields, func(field apiextensionsv1.SelectableField) bool {
		return h.isShownBy(field.JSONPath)
	})
	if version.Subresources == nil || version.Subresources.Scale == nil {
		return
	}
	scale := version.Subresources.Scale
	if h.isShownBy(scale.SpecReplicasPath) || h.isShownBy(scale.StatusReplicasPath) ||
		scale.LabelSelectorPath != nil && h.isShownBy(*scale.LabelSelectorPath) {
		version.Subresources.Scale = nil
	}
}

// isShownBy reports whether a JSON path may lead to one of the fields, or below it.
func (h hidden) isShownBy(jsonPath string) bool {
	if len(h) == 0 {
		return false
	}
	parser, err := jsonpath.Parse("path", "{"+jsonPath+"}")
	if err != nil {
		return true
	}
	read, known := fieldsRead(parser.Root.Nodes, nil)
	if !known {
		return true
	}
	return slices.ContainsFunc(h, func(field paths.Path) bool {
		return slices.ContainsFunc(read, func(steps []string) bool { return leadsTo(steps, field.Steps()) })
	})
}

// anyStep is a step of a JSON path to all there is: elements of a list, or values of an object.
const anyStep = ""

// leadsTo reports whether the steps of a JSON path lead to the field or below it.
func leadsTo(steps []string, field []paths.Step) bool {
	if len(steps) < len(field) {
		return false
	}
	for i, step := range field {
		if steps[i] != anyStep && steps[i] != step.Field {
			return false
		}
	}
	return true
}

// fieldsRead returns the steps to each field that the nodes read, which begin at the steps before them; and false if that is not known.
func fieldsRead(nodes []jsonpath.Node, before []string) (read [][]string, known bool) {
	steps := slices.Clone(before)
	for _, node := range nodes {
		switch node := node.(type) {
		case *jsonpath.ListNode:
			inner, known := fieldsRead(node.Nodes, steps)
			if !known {
				return nil, false
			}
			read = append(read, inner...)
		case *jsonpath.FieldNode:
			if node.Value != "" {
				steps = append(steps, node.Value)
			}
		case *jsonpath.ArrayNode, *jsonpath.WildcardNode:
			steps = append(steps, anyStep)
		case *jsonpath.FilterNode:
			steps = append(steps, anyStep)
			for _, side := range []*jsonpath.ListNode{node.Left, node.Right} {
				inner, known := fieldsRead(side.Nodes, steps)
				if !known {
					return nil, false
				}
				read = append(read, inner...)
			}
		case *jsonpath.TextNode, *jsonpath.IntNode, *jsonpath.FloatNode, *jsonpath.BoolNode:
		default:
			return nil, false
		}
	}
	return append(read, steps), true
}
