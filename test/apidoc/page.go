package main

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const head = `# API reference

<!-- Written by make generate from config/crd/bases. Change the Go types in api instead. -->

Every field as the CustomResourceDefinitions have it. The same texts come from ` + "`kubectl explain projection.spec`" + `.
The last column has what the API server answers to other values. [Concepts](../concepts.md) says what the fields are for.
`

// tableHeads begin the table of a part: only a spec is refused.
var tableHeads = map[string]string{
	"spec":   "| field | type | meaning | message if refused |\n|---|---|---|---|\n",
	"status": "| field | type | meaning |\n|---|---|---|\n",
}

// page is the whole reference.
func page(definitions []apiextensionsv1.CustomResourceDefinition) string {
	var out strings.Builder
	out.WriteString(head)
	for _, definition := range definitions {
		for _, version := range definition.Spec.Versions {
			kind(&out, definition.Spec, version)
		}
	}
	return out.String()
}

func kind(out *strings.Builder, spec apiextensionsv1.CustomResourceDefinitionSpec, version apiextensionsv1.CustomResourceDefinitionVersion) {
	schema := version.Schema.OpenAPIV3Schema
	fmt.Fprintf(out, "\n## %s\n\n%s\n\n", spec.Names.Kind, sentence(schema.Description))
	fmt.Fprintf(out, "`apiVersion: %s/%s`, scope %s, short name `%s`, category `%s`.\n",
		spec.Group, version.Name, strings.ToLower(string(spec.Scope)), strings.Join(spec.Names.ShortNames, "`, `"), strings.Join(spec.Names.Categories, "`, `"))

	for _, part := range []string{"spec", "status"} {
		fmt.Fprintf(out, "\n### %s of a %s\n\n%s", strings.ToUpper(part[:1])+part[1:], spec.Names.Kind, tableHeads[part])
		fields(out, part, schema.Properties[part])
	}
	fmt.Fprintf(out, "\n### Columns of a %s\n\n| column | path | meaning |\n|---|---|---|\n", spec.Names.Kind)
	for _, column := range version.AdditionalPrinterColumns {
		wide := ""
		if column.Priority > 0 {
			wide = " Only with `-o wide`."
		}
		fmt.Fprintf(out, "| %s | `%s` | %s%s |\n", column.Name, column.JSONPath, cell(column.Description), wide)
	}
	fmt.Fprint(out, "\nField selectors: ")
	for i, field := range version.SelectableFields {
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(out, "`%s`", strings.TrimPrefix(field.JSONPath, "."))
	}
	out.WriteString(".\n")
}

// sentence is a description in one line.
func sentence(text string) string { return strings.Join(strings.Fields(text), " ") }

// cell is text that may stand in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(sentence(text))
}
