package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/printers"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

const renderLong = `Print the copy that a rule wants in a namespace, as it is applied.

The copy is rendered by the code of the operator from the rule, its sources and the namespace as they are now. Nothing is written. Values of Secrets are
printed as ***. The namespace is that of the flag --namespace, or else that of the context.`

const renderExample = `  # The copy of a ClusterProjection in the namespace web-1
  kubectl projection render clusterprojection/base -n web-1

  # The copy of a Projection, as JSON
  kubectl projection render projection/app-config -n tenant-a -o json`

func newRender(o *options) *cobra.Command {
	var out output
	command := &cobra.Command{
		Use:     "render (TYPE/NAME | TYPE NAME)",
		Short:   "Print the copy that a rule wants in a namespace",
		Long:    renderLong,
		Example: renderExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			return o.render(command.Context(), args, out.format)
		},
	}
	out.addFlags(command, formatJSON, formatYAML)
	return command
}

func (o *options) render(ctx context.Context, args []string, format string) error {
	i, rule, err := o.ruleIn(ctx, args)
	if err != nil {
		return err
	}
	rendered, err := i.forecaster(ctx, i.namespace).Render(ctx, rule, i.namespace)
	if err != nil {
		return err
	}
	var printer printers.ResourcePrinter = &printers.YAMLPrinter{}
	if format == formatJSON {
		printer = &printers.JSONPrinter{}
	}
	copies := 0
	for _, one := range rendered {
		if one.Object == nil {
			continue
		}
		copies++
		if err := printer.PrintObj(one.Object, o.Out); err != nil {
			return err
		}
	}
	if copies == 0 {
		return noCopy(i.namespace, rendered)
	}
	return nil
}

// noCopy says why there is nothing to print.
func noCopy(namespace string, rendered []forecast.Rendered) error {
	if len(rendered) == 0 {
		return fmt.Errorf("no copy in namespace %s: the selector of the rule matches no source", namespace)
	}
	verdict := rendered[0].Verdict
	state := string(verdict.State)
	if verdict.Reason != "" {
		state = verdict.Reason
	}
	return fmt.Errorf("no copy in namespace %s: %s: %s", namespace, state, verdict.Message)
}
