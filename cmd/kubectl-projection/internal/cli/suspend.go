package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
)

const suspendLong = `Have the operator write and delete no copy of a rule.

The operator goes on watching, and reports what it would do. The copies stay as they are, even if the owner of the source takes consent back. If
the rule is deleted, its copies are deleted all the same.`

const suspendExample = `  # Suspend a ClusterProjection
  kubectl projection suspend clusterprojection/base

  # See whether you may suspend a Projection, and change nothing
  kubectl projection suspend projection/app-config -n tenant-a --dry-run=server`

const resumeExample = `  # Resume a ClusterProjection
  kubectl projection resume clusterprojection/base`

func newSuspend(o *options) *cobra.Command {
	return o.setting("suspend", "Have the operator write and delete no copy of a rule", suspendLong, suspendExample, true)
}

func newResume(o *options) *cobra.Command {
	return o.setting("resume", "Have the operator write and delete copies of a suspended rule again",
		"Have the operator write and delete copies of a suspended rule again.", resumeExample, false)
}

// setting returns the command that sets spec.suspend.
func (o *options) setting(name, short, long, example string, suspend bool) *cobra.Command {
	var dryRun string
	command := &cobra.Command{
		Use:     name + " (TYPE/NAME | TYPE NAME)",
		Short:   short,
		Long:    long,
		Example: example,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := checkDryRun(dryRun); err != nil {
				return err
			}
			return o.suspend(command.Context(), args, suspend, dryRun)
		},
	}
	addDryRun(command, &dryRun)
	return command
}

func (o *options) suspend(ctx context.Context, args []string, suspend bool, dryRun string) error {
	namespace, err := o.namespace()
	if err != nil {
		return err
	}
	cluster, err := access.New(o.flags, o.userAgent())
	if err != nil {
		return err
	}
	object, err := parseObject(cluster.Mapper, args)
	if err != nil {
		return err
	}
	kind, isRule := object.ruleKind()
	if !isRule {
		return fmt.Errorf("a %s is no rule: name a Projection or a ClusterProjection", object.kind.Kind)
	}
	rule, err := cluster.Rule(ctx, kind, namespace, object.name)
	if err != nil {
		return err
	}
	changed := rule.Spec.Suspended != suspend
	if changed && dryRun != dryRunClient {
		err = patch(ctx, cluster, rule, suspend, dryRun)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.Out, outcome(rule, suspend, changed, dryRun))
	return err
}

func patch(ctx context.Context, cluster *access.Cluster, rule access.Rule, suspend bool, dryRun string) error {
	change := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"suspend": suspend}}}
	body, err := json.Marshal(change.Object)
	if err != nil {
		return err
	}
	rules := cluster.Content.Resource(access.ResourceOf(rule.Kind)).Namespace(rule.Namespace)
	_, err = rules.Patch(ctx, rule.Name, types.MergePatchType, body, patchOptions(dryRun))
	return err
}

// outcome says what was done, as kubectl does.
func outcome(rule access.Rule, suspend, changed bool, dryRun string) string {
	done := map[[2]bool]string{
		{true, true}: "suspended", {true, false}: "already suspended", {false, true}: "resumed", {false, false}: "not suspended",
	}[[2]bool{suspend, changed}]
	return infoOf(rule, access.Settings{}).fullName() + " " + done + inDryRun(dryRun)
}
