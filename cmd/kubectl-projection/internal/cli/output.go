package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"
)

// apiVersion is that of what the plugin prints as JSON and YAML.
const apiVersion = "plugin.projection.sh/v1alpha1"

// unknownValue stands for what the caller may not read.
const unknownValue = "?"

// Formats of the flag -o.
const (
	formatWide = "wide"
	formatJSON = "json"
	formatYAML = "yaml"
	formatName = "name"
)

// output is how a command prints.
type output struct {
	format    string
	noHeaders bool
	formats   []string
}

// report is what a command has found out.
type report struct {
	kind string
	// data is printed as JSON and YAML.
	data any
	// names are printed for -o name.
	names []string
	// text prints the report for people.
	text func(io.Writer) error
}

// addFlags adds the flag -o, with these formats, to the command.
func (o *output) addFlags(command *cobra.Command, formats ...string) {
	o.formats = formats
	command.Flags().StringVarP(&o.format, "output", "o", "", "Output format. One of: ("+strings.Join(formats, ", ")+").")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	if slices.Contains(formats, formatWide) {
		command.Flags().BoolVar(&o.noHeaders, "no-headers", false, "When using the default output format, don't print headers.")
	}
}

func (o *output) validate() error {
	if o.format != "" && !slices.Contains(o.formats, o.format) {
		return fmt.Errorf("unable to match a printer suitable for the output format %q, allowed formats are: %s", o.format, strings.Join(o.formats, ","))
	}
	return nil
}

func (o *output) print(out io.Writer, report report) error {
	switch o.format {
	case formatJSON:
		return printObject(out, &printers.JSONPrinter{}, report)
	case formatYAML:
		return printObject(out, &printers.YAMLPrinter{}, report)
	case formatName:
		for _, name := range report.names {
			if _, err := fmt.Fprintln(out, name); err != nil {
				return err
			}
		}
		return nil
	default:
		return report.text(out)
	}
}

func printObject(out io.Writer, printer printers.ResourcePrinter, report report) error {
	encoded, err := json.Marshal(report.data)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	if err := json.Unmarshal(encoded, &object.Object); err != nil {
		return err
	}
	if object.GetKind() != "" || object.GetAPIVersion() != "" {
		return fmt.Errorf("a %s has fields that its kind and version would replace", report.kind)
	}
	object.SetAPIVersion(apiVersion)
	object.SetKind(report.kind)
	return printer.PrintObj(object, out)
}

// column is a column of a table. Wide ones are printed with -o wide only.
type column struct {
	name string
	wide bool
}

func columns(names ...string) []column {
	all := make([]column, len(names))
	for i, name := range names {
		all[i].name, all[i].wide = strings.CutPrefix(name, "+")
	}
	return all
}

// table prints rows as kubectl get does.
func (o *output) table(out io.Writer, columns []column, rows [][]string) error {
	table := &metav1.Table{}
	for _, column := range columns {
		definition := metav1.TableColumnDefinition{Name: column.name, Type: "string"}
		if column.wide {
			definition.Priority = 1
		}
		table.ColumnDefinitions = append(table.ColumnDefinitions, definition)
	}
	for _, row := range rows {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		table.Rows = append(table.Rows, metav1.TableRow{Cells: cells})
	}
	return printers.NewTablePrinter(printers.PrintOptions{NoHeaders: o.noHeaders, Wide: o.format == formatWide}).PrintObj(table, out)
}

// lines prints pairs of a name and a value in two columns. Values that are empty are left out.
func lines(out io.Writer, pairs ...[2]string) error {
	writer := printers.GetNewTabWriter(out)
	for _, pair := range pairs {
		if pair[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(writer, "%s:\t%s\n", pair[0], pair[1]); err != nil {
			return err
		}
	}
	return writer.Flush()
}
