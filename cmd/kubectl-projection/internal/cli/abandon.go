package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/components/owner"
)

const abandonLong = `Give up the copies of a ClusterProjection in another cluster.

Use it for a cluster that will never be reached again. A ClusterProjection that is being deleted, or that does not copy into the cluster any more, waits
until its copies there are deleted. This command has it wait no longer, by the annotation projection.sh/abandon. The copies stay there, and nobody
deletes them. If you can reach the cluster, delete them by the label that the command prints. It makes no request to the other cluster.`

const abandonExample = `  # Let a rule end whose cluster eu-1 does not exist any more
  kubectl projection abandon clusterprojection/registry --cluster eu-1

  # See whether you may, and change nothing
  kubectl projection abandon clusterprojection/registry --cluster eu-1 --dry-run=server`

func newAbandon(o *options) *cobra.Command {
	var dryRun string
	var clusters []string
	command := &cobra.Command{
		Use:     "abandon (TYPE/NAME | TYPE NAME) --cluster CLUSTER",
		Short:   "Give up the copies of a ClusterProjection in another cluster",
		Long:    abandonLong,
		Example: abandonExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := checkDryRun(dryRun); err != nil {
				return err
			}
			if len(clusters) == 0 {
				return errors.New("name the RemoteClusters whose copies are given up with --cluster")
			}
			return o.abandon(command.Context(), args, clusters, dryRun)
		},
	}
	addDryRun(command, &dryRun)
	command.Flags().StringSliceVar(&clusters, "cluster", nil, "Name of the RemoteCluster. Separate several by commas.")
	complete := func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return o.completeRemoteClusters(c, nil, begun)
	}
	cobra.CheckErr(command.RegisterFlagCompletionFunc("cluster", complete))
	return command
}

func (o *options) abandon(ctx context.Context, args, clusters []string, dryRun string) error {
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return err
	}
	object, err := parseObject(cluster.Mapper, args)
	if err != nil {
		return err
	}
	if kind, isRule := object.ruleKind(); !isRule || kind.Namespaced {
		return fmt.Errorf("a %s has no copies in other clusters: name a ClusterProjection", object.kind.Kind)
	}
	var rule access.Rule
	var changed bool
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if rule, err = cluster.Rule(ctx, owner.ClusterProjection, "", object.name); err != nil {
			return err
		}
		given, err := abandoned(rule, clusters)
		changed = given != rule.Object.GetAnnotations()[v1.AnnotationAbandon]
		if err != nil || !changed || dryRun == dryRunClient {
			return err
		}
		return patchAbandoned(ctx, cluster, rule, given, dryRun)
	})
	if err != nil {
		return err
	}
	hub, _ := hubIDOf(ctx, cluster, settings) // without it, there is no label to print
	return o.printAbandoned(rule, hub, clusters, changed, dryRun)
}

// abandoned returns the annotation of the rule that gives up the clusters, too. It is an error if the rule has no copies in one of them.
func abandoned(rule access.Rule, clusters []string) (string, error) {
	recorded := rule.WrittenClusters()
	given := access.Listed(rule.Object.GetAnnotations()[v1.AnnotationAbandon])
	for _, name := range clusters {
		switch {
		case slices.Contains(given, name):
		case len(recorded) == 0:
			return "", fmt.Errorf("the %s has no copies in other clusters: there is nothing to give up", rule)
		case !slices.Contains(recorded, name):
			return "", fmt.Errorf("the %s has no copies in the cluster %s, but may have some in %s: name one of these", rule, name, strings.Join(recorded, ", "))
		default:
			given = append(given, name)
		}
	}
	return strings.Join(given, ","), nil
}

// patchAbandoned writes the annotation, if the rule is still the one that was read: another client may have given up another cluster.
func patchAbandoned(ctx context.Context, cluster *access.Cluster, rule access.Rule, given, dryRun string) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": rule.Object.GetUID(), "resourceVersion": rule.Object.GetResourceVersion(), "annotations": map[string]string{v1.AnnotationAbandon: given},
	}})
	if err != nil {
		return err
	}
	_, err = cluster.Metadata.Resource(access.ResourceOf(rule.Kind)).Patch(ctx, rule.Name, types.MergePatchType, body, patchOptions(dryRun))
	return access.Explain(err, "change the "+rule.String())
}

// printAbandoned says what was done, and what is left there.
func (o *options) printAbandoned(rule access.Rule, hub string, clusters []string, changed bool, dryRun string) error {
	done := "abandoned in "
	if !changed {
		done = "already abandoned in "
	}
	text := infoOf(rule, access.Settings{}).fullName() + " " + done + strings.Join(clusters, ", ") + inDryRun(dryRun) + "\n" + "Its copies there stay.\n"
	if hub != "" {
		text += fmt.Sprintf("They have the label %s%s=%s\n", v1.LabelOwnedByHubPrefix, hub, rule.Object.GetUID())
	}
	_, err := fmt.Fprint(o.Out, text)
	return err
}
