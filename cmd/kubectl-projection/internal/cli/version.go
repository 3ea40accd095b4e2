package cli

import (
	"cmp"
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

// versions are those of the plugin and of the operator.
type versions struct {
	Plugin string `json:"plugin"`
	Go     string `json:"go"`
	// Operator is empty if its settings may not be read, or if there is none.
	Operator          string `json:"operator,omitempty"`
	OperatorNamespace string `json:"operatorNamespace,omitempty"`
}

func newVersion(o *options) *cobra.Command {
	var out output
	var client bool
	command := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the plugin and of the operator",
		Example: `  # Print both versions
  kubectl projection version

  # Print the version of the plugin without a request to the API server
  kubectl projection version --client`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			found, err := o.versions(command.Context(), client)
			if err != nil {
				return err
			}
			return out.print(o.Out, report{kind: "Version", data: found, text: func(w io.Writer) error { return found.print(w, client) }})
		},
	}
	out.addFlags(command, formatJSON, formatYAML)
	command.Flags().BoolVar(&client, "client", false, "If true, shows the version of the plugin only, without a request to the API server.")
	return command
}

func (o *options) versions(ctx context.Context, client bool) (versions, error) {
	found := versions{Plugin: o.version, Go: runtime.Version()}
	if client {
		return found, nil
	}
	_, settings, err := o.connect(ctx)
	found.Operator, found.OperatorNamespace = settings.Version, settings.Namespace
	return found, err
}

func (v versions) print(w io.Writer, client bool) error {
	operator := cmp.Or(v.Operator, unknownValue)
	if client {
		operator = ""
	}
	return lines(w, [2]string{"Plugin", v.Plugin}, [2]string{"Operator", operator}, [2]string{"Namespace", v.OperatorNamespace})
}
