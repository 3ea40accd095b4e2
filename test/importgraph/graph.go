package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// reduced returns the graph without the imports that follow from others: where a imports b and c, and b imports c, the line from a to
// c is left out.
func reduced(imports map[string][]string) map[string][]string {
	kept := map[string][]string{}
	for from, direct := range imports {
		direct = slices.Compact(slices.Sorted(slices.Values(direct)))
		kept[from] = slices.DeleteFunc(slices.Clone(direct), func(to string) bool {
			return slices.ContainsFunc(direct, func(via string) bool { return via != to && reaches(imports, via, to) })
		})
	}
	return kept
}

// reaches reports whether one package imports the other, directly or through others. Imports of Go have no cycles.
func reaches(imports map[string][]string, from, to string) bool {
	return slices.ContainsFunc(imports[from], func(next string) bool { return next == to || reaches(imports, next, to) })
}

// diagram returns the graph in the language of Mermaid.
func diagram(imports map[string][]string) string {
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart TD\n")
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		for _, to := range imports[from] {
			fmt.Fprintf(&b, "  %s --> %s\n", node(from), node(to))
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// node returns the package as a node: components under their last name.
func node(pkg string) string {
	label := strings.TrimPrefix(pkg, "components/")
	return strings.NewReplacer("/", "_", "-", "_").Replace(pkg) + "[" + label + "]"
}
