package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

const planLong = `Show what would become of the copies of rules, as they are in files, or with a change.

Each rule is taken as the files have it: fields of its spec that are not in the file are taken as absent. It is checked by the API server in a dry run,
if you may write it. What becomes of the copies is computed by the code of the operator, from the sources and namespaces as they are now. Nothing is
written. Other objects in the files are not considered.

With -n and the name of a ClusterProjection, it prints what would become of its copies in that namespace.

With -o name, it prints the rules whose copies change or may change.

It ends with 0 if nothing changes, with 1 if something does, or may do so since you may not read what decides it, and with 2 if it fails.`

const planExample = `  # What would become of the copies of the rules in a file
  kubectl projection plan -f base.yaml

  # How each copy would change
  kubectl projection plan -f base.yaml --diff

  # Whether the API server would accept each copy
  kubectl projection plan -f ./rules --recursive --check-writes

  # What another selector would change
  kubectl projection plan clusterprojection/base --set-selector 'team in (web,api)'

  # How the copy in a namespace would change
  kubectl projection plan clusterprojection/base --set-label=tier=web --diff -n web-1

  # What would be written if a suspended rule was resumed
  kubectl projection plan clusterprojection/base`

// planFlags are the flags of the command plan.
type planFlags struct {
	files                        []string
	recursive, diff, checkWrites bool
	changes                      changes
}

func newPlan(o *options) *cobra.Command {
	var out output
	var asked planFlags
	command := &cobra.Command{
		Use:     "plan (-f FILENAME | TYPE/NAME | TYPE NAME)",
		Short:   "Show what would become of the copies of rules",
		Long:    planLong,
		Example: planExample,
		Args:    cobra.MaximumNArgs(2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			if err := asked.validate(args); err != nil {
				return err
			}
			return o.plan(command.Context(), args, asked, &out)
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML, formatName)
	flags := command.Flags()
	flags.StringSliceVarP(&asked.files, "filename", "f", nil, "Files or directories with rules, or - for the standard input.")
	flags.BoolVarP(&asked.recursive, "recursive", "R", false, "Read the directories of -f with those below them.")
	flags.BoolVar(&asked.diff, "diff", false, "If true, print how each copy changes. Values of Secrets are printed as ***.")
	flags.BoolVar(&asked.checkWrites, "check-writes", false,
		"If true, ask the API server whether it accepts each copy, by a dry run with your own permissions.")
	flags.StringVar(&asked.changes.selector, "set-selector", "", "The selector of namespaces that a ClusterProjection would have.")
	flags.StringArrayVar(&asked.changes.labels, "set-label", nil, "A label KEY=VALUE that the copies would have, in spec.overlay.labels.")
	flags.StringArrayVar(&asked.changes.annotations, "set-annotation", nil, "An annotation KEY=VALUE that the copies would have, in spec.overlay.annotations.")
	return command
}

func (f planFlags) validate(args []string) error {
	switch hasFiles := len(f.files) > 0; {
	case hasFiles == (len(args) > 0):
		return errors.New("name files with -f, or a rule as TYPE/NAME or TYPE NAME")
	case hasFiles && !f.changes.isZero():
		return errors.New("--set-selector, --set-label and --set-annotation are for a rule that is named: edit the file")
	default:
		return nil
	}
}

func (o *options) plan(ctx context.Context, args []string, asked planFlags, out *output) error {
	namespace, err := o.namespace()
	if err != nil {
		return err
	}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return err
	}
	rules, others, err := o.proposals(ctx, cluster, args, asked, namespace)
	if err != nil {
		return err
	}
	printed := planPrinter{o: o, out: out, report: planReport{Rules: []plannedRule{}, Others: others, Summary: map[forecast.Action]int{}}}
	for _, action := range forecast.Actions {
		printed.report.Summary[action] = 0
	}
	forecaster := forecast.New(ctx, cluster, settings, cluster.AllNamespaces())
	var failed error
	for _, proposed := range rules {
		failed = errors.Join(failed, o.planOne(ctx, cluster, settings, forecaster, proposed, asked, &printed))
		if ctx.Err() != nil {
			return failed
		}
	}
	if !printed.hasPrinted && failed != nil {
		return failed
	}
	if err := printed.end(); err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	if printed.hasChange {
		return errFound
	}
	return nil
}

func (o *options) proposals(ctx context.Context, cluster *access.Cluster, args []string, asked planFlags, namespace string) ([]proposal, int, error) {
	if len(asked.files) > 0 {
		return o.inFiles(asked.files, asked.recursive, namespace)
	}
	named, err := asked.changes.ofRule(ctx, cluster, args, namespace)
	return []proposal{named}, 0, err
}

func (o *options) planOne(
	ctx context.Context, cluster *access.Cluster, settings access.Settings, forecaster *forecast.Forecaster,
	proposed proposal, asked planFlags, printed *planPrinter,
) error {
	planned, rule, err := planOf(ctx, cluster, settings, proposed)
	if err != nil {
		return err
	}
	if err := printed.begin(rule); err != nil {
		return err
	}
	if planned.Rule.Kind.Namespaced { // those of ClusterProjections are listed once
		forecaster = forecaster.With(cluster.NamespacesOf(planned.Rule.Identity))
	}
	if rule.Changes, err = forecaster.Changes(ctx, planned.Rule, planned.Before); err != nil {
		return err
	}
	if len(asked.files) == 0 && !planned.Rule.Kind.Namespaced && *o.flags.Namespace != "" {
		printed.within = *o.flags.Namespace
		rule.Changes = rule.Changes.In(printed.within)
	}
	return printed.add(rule, planSteps{
		isChecked: asked.checkWrites && rule.hasWrite(),
		check: func(changes []forecast.Change) error {
			if !asked.checkWrites {
				return nil
			}
			return forecaster.CheckWrites(ctx, planned.Rule, changes)
		},
		addDiffs: func(changes []forecast.Change) error {
			if !asked.diff {
				return nil
			}
			return forecaster.AddDiffs(ctx, planned.Rule, changes)
		},
	})
}

// planOf returns the rule as it would be, without what would become of its copies.
func planOf(ctx context.Context, cluster *access.Cluster, settings access.Settings, proposed proposal) (access.Planned, plannedRule, error) {
	planned, err := cluster.Plan(ctx, proposed.kind, proposed.object)
	if err != nil {
		return planned, plannedRule{}, err
	}
	if planned.Rule.Object.GetDeletionTimestamp() != nil {
		return planned, plannedRule{}, fmt.Errorf("the %s is being deleted: its copies end with it, as spec.policy.retain says", planned.Rule)
	}
	rule, err := plannedRuleOf(planned, settings)
	if err != nil {
		return planned, rule, err
	}
	notes, err := clusterNotes(ctx, cluster, planned)
	rule.Notes = append(rule.Notes, notes...)
	return planned, rule, err
}
