package cli

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
)

const treeLong = `Show the sources and the copies of a rule.

Copies that are as the rule wants them are counted, and the others are listed with what is wrong. With --all, every copy is listed. The verdicts are
computed by the code of the operator from the rule, its sources and the namespaces as they are now. If more than 100 copies are missing, what is
in the place of the others is not looked at.`

const treeExample = `  # The sources and the copies of a ClusterProjection
  kubectl projection tree clusterprojection/base

  # Every copy
  kubectl projection tree clusterprojection/base --all

  # The copies that are not as the rule wants them, for programs
  kubectl projection tree clusterprojection/base -o json`

// treeReport is a rule with its sources and copies.
type treeReport struct {
	Rule     ruleInfo          `json:"rule"`
	Branches []forecast.Branch `json:"sources"`
}

func newTree(o *options) *cobra.Command {
	var out output
	var all bool
	command := &cobra.Command{
		Use:     "tree (TYPE/NAME | TYPE NAME)",
		Short:   "Show the sources and the copies of a rule",
		Long:    treeLong,
		Example: treeExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := out.validate(); err != nil {
				return err
			}
			found, err := o.tree(command.Context(), args)
			if err != nil {
				return err
			}
			return out.print(o.Out, report{kind: "Tree", data: found, text: func(w io.Writer) error { return found.print(w, &out, all, o.now()) }})
		},
	}
	out.addFlags(command, formatWide, formatJSON, formatYAML)
	command.Flags().BoolVar(&all, "all", false, "If true, lists every copy.")
	return command
}

func (o *options) tree(ctx context.Context, args []string) (treeReport, error) {
	i, rule, err := o.ruleIn(ctx, args)
	if err != nil {
		return treeReport{}, err
	}
	branches, err := forecast.New(ctx, i.cluster, i.settings, i.cluster.NamespacesOf(rule.Identity)).All(ctx, rule)
	return treeReport{infoOf(rule, i.settings), branches}, err
}

// Lines of a tree.
const (
	branchLine, lastBranchLine = "├─", "└─"
	indent, lastIndent         = "│ ", "  "
)

func (r treeReport) print(w io.Writer, out *output, all bool, now time.Time) error {
	ready := r.Rule.Ready
	if ready == string(metav1.ConditionTrue) {
		ready = "Ready"
	} else if ready == string(metav1.ConditionFalse) {
		ready = "NotReady"
	}
	rows := [][]string{{r.Rule.String(), ready, r.Rule.reason(), age(now, r.Rule.Since), r.Rule.Message}}
	for i, branch := range r.Branches {
		line, inner := branchLine, indent
		if i == len(r.Branches)-1 {
			line, inner = lastBranchLine, lastIndent
		}
		rows = append(rows, sourceRow(line, branch))
		leaves := append(leavesOf(branch, all), r.Rule.clusterRows()...)
		for j, leaf := range leaves {
			line := branchLine
			if j == len(leaves)-1 {
				line = lastBranchLine
			}
			leaf[0] = inner + line + leaf[0]
			rows = append(rows, leaf)
		}
	}
	return out.table(w, columns("Name", "State", "Reason", "Since", "Message"), rows)
}

func sourceRow(line string, branch forecast.Branch) []string {
	if refused := branch.Refused; refused != nil {
		return []string{line + branch.Source.String(), string(refused.State), refused.Reason, "", refused.Message}
	}
	return []string{line + branch.Source.String(), "Source", "", "", ""}
}

// leavesOf returns the rows below a source.
func leavesOf(branch forecast.Branch, all bool) (rows [][]string) {
	listed := branch.Troubled()
	if all {
		listed = branch.Copies
	} else {
		for _, state := range []forecast.State{forecast.InSync, forecast.Exists} {
			if number := branch.Count(state); number > 0 {
				rows = append(rows, []string{count(number, "copy", "copies"), string(state), "", "", ""})
			}
		}
	}
	for _, verdict := range listed {
		name := "namespace " + verdict.Namespace
		if verdict.Copy != nil {
			name = verdict.Copy.String()
		}
		rows = append(rows, []string{name, string(verdict.State), verdict.Reason, "", verdict.Message})
	}
	if branch.Skipped > 0 {
		rows = append(rows, []string{
			count(branch.Skipped, "namespace", "namespaces"), string(forecast.NotTarget), "", "", "the owner of the source permits no copy there",
		})
	}
	return rows
}
