package cli

import (
	"context"

	"github.com/spf13/cobra"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

const whyLong = `Say why an object is what it is, or why a rule has no copy in a namespace.

Of an object, it says whether it is a copy: of which rule, of which source, whether it has the content that the rule wants now, and who else writes
it. And it says which rules copy it.

Of a rule and a namespace, it says what the rule wants there, what is there, and why. The verdict is computed by the code of the operator from the
rule, the source and the namespace as they are now. The namespace is that of the flag --namespace, or else that of the context.`

const whyExample = `  # Is this ConfigMap a copy, of what, and is it in sync?
  kubectl projection why configmap/app-config -n tenant-a

  # Who copies this Secret?
  kubectl projection why secret/ca -n platform

  # Why has the namespace legacy no copy of this ClusterProjection?
  kubectl projection why clusterprojection/base -n legacy

  # The same for programs
  kubectl projection why clusterprojection/base -n legacy -o json`

// inquiry is what the parts of the command why have in common.
type inquiry struct {
	cluster   *access.Cluster
	settings  access.Settings
	namespace string
}

func newWhy(o *options) *cobra.Command {
	var out output
	command := &cobra.Command{
		Use:     "why (TYPE/NAME | TYPE NAME)",
		Aliases: []string{"explain", "trace"},
		Short:   "Say why an object is what it is, or why a namespace has no copy",
		Long:    whyLong,
		Example: whyExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			report, err := o.why(command.Context(), args)
			if err != nil {
				return err
			}
			return out.print(o.Out, report)
		},
	}
	out.addFlags(command, formatJSON, formatYAML)
	return command
}

func (o *options) why(ctx context.Context, args []string) (report, error) {
	namespace, err := o.namespace()
	if err != nil {
		return report{}, err
	}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return report{}, err
	}
	object, err := parseObject(cluster.Mapper, args)
	if err != nil {
		return report{}, err
	}
	i := inquiry{cluster, settings, namespace}
	if kind, isRule := object.ruleKind(); isRule {
		rule, err := cluster.Rule(ctx, kind, namespace, object.name)
		if access.IsUnknown(err) {
			return i.ofHiddenRule(unreadableRule(kind, namespace, object.name)), nil
		}
		if err != nil {
			return report{}, err
		}
		return i.ofRule(ctx, rule)
	}
	found, err := i.ofObject(ctx, object)
	if err != nil {
		return report{}, err
	}
	return found.report(o.now()), nil
}

// forecaster returns one that knows the namespace, and no other.
func (i inquiry) forecaster(ctx context.Context, namespace string) *forecast.Forecaster {
	return forecast.New(ctx, i.cluster, i.settings, i.cluster.OneNamespace(namespace))
}
