package main

import (
	"flag"
	"fmt"
	"strings"

	"projection.sh/operator/cmd/manager/app"
)

const head = `# Reference of names

<!-- Written by make generate from api/v1, cmd/manager and components/metrics. Change the Go comments and texts there instead. -->

Every name that users and tools may rely on. The fields of rules are in the [API reference](api.md).
`

// sections are the groups of constants, by the prefix of their Go names.
var sections = []struct{ title, prefix, column, text string }{
	{"Annotations", "Annotation", "annotation", "On sources, copies and rules; [ownership](../concepts.md#ownership) describes those of copies."},
	{"Labels", "Label", "label", "On copies. A label selects copies and never decides who owns one."},
	{"Finalizers", "Finalizer", "finalizer", ""},
	{"Conditions", "Condition", "condition", "Of both kinds of rules."},
	{"Reasons", "Reason", "reason", "Of conditions and events. [Troubleshooting](../troubleshooting.md) has a section for each, with its messages."},
}

func page(names []constant, metrics []metric) string {
	out := &strings.Builder{}
	out.WriteString(head)
	for _, section := range sections {
		begin(out, section.title, section.text, section.column, "meaning")
		for _, of := range names {
			if strings.HasPrefix(of.name, section.prefix) {
				row(out, "`"+of.value+"`", cell(of.meaning))
			}
		}
	}
	begin(out, "Metrics", "[Observability](../observability.md#metrics) says more of each, and has the alerts.", "metric", "type", "labels", "meaning")
	for _, of := range metrics {
		row(out, "`"+of.name+"`", of.kind, quoted(of.labels), cell(of.help))
	}
	begin(out, "Flags", "[Configuration](../configuration.md#flags) has the chart's value for each.", "flag", "default", "meaning")
	app.Flags().VisitAll(func(f *flag.Flag) {
		var fallback []string
		if f.DefValue != "" {
			fallback = []string{f.DefValue}
		}
		row(out, "`--"+f.Name+"`", quoted(fallback), cell(f.Usage))
	})
	return out.String()
}

// begin writes the heading of a section, a sentence, and the head of its table.
func begin(out *strings.Builder, title, text string, columns ...string) {
	fmt.Fprintf(out, "\n## %s\n\n", title)
	if text != "" {
		out.WriteString(text + "\n\n")
	}
	row(out, columns...)
	out.WriteString("|" + strings.Repeat("---|", len(columns)) + "\n")
}

func row(out *strings.Builder, cells ...string) {
	out.WriteString(strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |\n", "|  |", "| |"))
}

func quoted(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "`" + strings.Join(words, "`, `") + "`"
}

// cell is text that may stand in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(strings.Join(strings.Fields(text), " "))
}
