package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
)

const releaseLong = `Release a copy: the operator no longer changes or deletes it.

It removes the annotation that names the rule of the copy. From then on the operator neither changes nor deletes the object, even if the rule or its
source is deleted. A rule that still wants a copy there reports DestinationConflict, and creates a copy if somebody deletes the object: the output
says how to change the rule. Where the admission policy "copies" is installed, you need the verb own on the rule.`

const releaseExample = `  # Keep a copy, whatever becomes of its rule
  kubectl projection release configmap/app-config -n web-1

  # See what it would do, and change nothing
  kubectl projection release configmap/app-config -n web-1 --dry-run=server`

func newRelease(o *options) *cobra.Command {
	var dryRun string
	command := &cobra.Command{
		Use:     "release (TYPE/NAME | TYPE NAME)",
		Short:   "Release a copy, so that the operator no longer changes or deletes it",
		Long:    releaseLong,
		Example: releaseExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := checkDryRun(dryRun); err != nil {
				return err
			}
			return o.release(command.Context(), args, dryRun)
		},
	}
	addDryRun(command, &dryRun)
	return command
}

func (o *options) release(ctx context.Context, args []string, dryRun string) error {
	i, object, err := o.objectIn(ctx, args)
	if err != nil {
		return err
	}
	found, err := i.cluster.Metadata.Resource(object.resource).Namespace(i.namespace).Get(ctx, object.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	kind, rule, err := releasable(object, found)
	if err != nil {
		return err
	}
	if kind.Annotation == "" {
		_, err := fmt.Fprintf(o.Out, "%s already released\n", objectname.Argument(object.kind.GroupKind(), object.name))
		return err
	}
	rest, err := i.afterRelease(ctx, kind, rule, forecast.ObjectOf(object.kind.GroupKind(), types.NamespacedName{Namespace: i.namespace, Name: object.name}))
	if err != nil { // the copy is released all the same
		rest = []string{stays, unknownValue + ": what the rule does then is not known: " + apierr.Message(apierr.RedactSecret(err))}
	}
	if inDryRun(dryRun) != "" {
		rest[0] = wouldStay
	}
	if dryRun != dryRunClient {
		if err := i.removeMark(ctx, object, found, kind.Annotation, dryRun); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(o.Out, "%s released%s\n%s\n", objectname.Argument(object.kind.GroupKind(), object.name), inDryRun(dryRun), strings.Join(rest, "\n"))
	return err
}

// objectIn returns the object that the arguments name, which is no rule.
func (o *options) objectIn(ctx context.Context, args []string) (inquiry, named, error) {
	namespace, err := o.namespace()
	if err != nil {
		return inquiry{}, named{}, err
	}
	cluster, settings, err := o.connect(ctx)
	if err != nil {
		return inquiry{}, named{}, err
	}
	object, err := parseObject(cluster.Mapper, args)
	if err != nil {
		return inquiry{}, named{}, err
	}
	if _, isRule := object.ruleKind(); isRule {
		return inquiry{}, named{}, fmt.Errorf("a %s is a rule: name a copy", object.kind.Kind)
	}
	return inquiry{cluster, settings, namespace}, object, nil
}

// releasable returns the rule that owns the object. Without a kind, the object has been released before.
func releasable(object named, found *metav1.PartialObjectMetadata) (owner.RuleKind, types.NamespacedName, error) {
	name := fmt.Sprintf("the %s %s/%s", object.kind.Kind, found.Namespace, found.Name)
	switch {
	case owner.IsAmbiguous(found):
		return owner.RuleKind{}, types.NamespacedName{}, errors.New(name + " names two rules as its owner, so it belongs to neither: there is nothing to release")
	case owner.IsElsewhere(found):
		return owner.RuleKind{}, types.NamespacedName{}, errors.New(name + " was made from a copy, and is none itself: there is nothing to release")
	}
	for _, kind := range []owner.RuleKind{owner.Projection, owner.ClusterProjection} {
		if rule, owned := kind.OwnerOf(found); owned { // whatever label is left of a rule that had it before
			return kind, rule, nil
		}
	}
	if isReleasedBy(owner.Projection, found) || isReleasedBy(owner.ClusterProjection, found) {
		return owner.RuleKind{}, types.NamespacedName{}, nil
	}
	return owner.RuleKind{}, types.NamespacedName{}, errors.New(name + " is no copy of a rule: there is nothing to release")
}

// removeMark removes the annotation that names the rule, if the object is still the one that was looked at and names the same rule.
func (i inquiry) removeMark(ctx context.Context, object named, found *metav1.PartialObjectMetadata, annotation, dryRun string) error {
	path := "/metadata/annotations/" + strings.ReplaceAll(annotation, "/", "~1")
	body, err := json.Marshal([]map[string]any{
		{"op": "test", "path": "/metadata/uid", "value": found.UID},
		{"op": "test", "path": path, "value": found.Annotations[annotation]},
		{"op": "remove", "path": path},
	})
	if err != nil {
		return err
	}
	_, err = i.cluster.Metadata.Resource(object.resource).Namespace(found.Namespace).
		Patch(ctx, found.Name, types.JSONPatchType, body, patchOptions(dryRun))
	return err
}

// What holds for every copy that was released, or would be in a dry run.
const (
	stays     = "The operator neither changes nor deletes it any more."
	wouldStay = "The operator would neither change nor delete it any more."
)

// afterRelease says what the rule does about the object then, and what to change in it.
func (i inquiry) afterRelease(ctx context.Context, kind owner.RuleKind, name types.NamespacedName, object forecast.Object) ([]string, error) {
	info := unreadable(kind, name.Namespace, name.Name)
	if !objectname.IsValid(name.Name) {
		return []string{stays}, nil
	}
	rule, err := i.cluster.Rule(ctx, kind, name.Namespace, name.Name)
	switch {
	case access.IsUnknown(err):
		return []string{
			stays, unknownValue + ": you may not read the " + info.String() + ". If it wants a copy there, it reports " + v1.ReasonDestinationConflict + ".",
		}, nil
	case apierrors.IsNotFound(err), errors.Is(err, access.ErrNotInstalled):
		return []string{stays, "There is no " + info.String() + ", so there is nothing else to do."}, nil
	case err != nil:
		return nil, err
	}
	verdict, err := i.forecaster(ctx, object.Namespace).At(ctx, rule, object)
	if err != nil {
		return nil, err
	}
	return append([]string{stays}, demand(rule, object.Namespace, verdict)...), nil
}

// demand says what the rule does that still wants a copy where a released one is, and how it can do without.
func demand(rule access.Rule, namespace string, verdict forecast.Verdict) []string {
	again := "creates a copy again"
	if rule.Spec.Suspended {
		again += " when the rule is resumed"
	}
	switch state := verdict.State; {
	case state == forecast.NotTarget || state == forecast.Refused:
		return []string{"The " + rule.String() + " wants no copy there now."}
	case state == forecast.Unknown:
		return []string{unknownValue + ": whether the " + rule.String() + " still wants a copy there: " + verdict.Message}
	case state == forecast.Blocked:
		return []string{"The " + rule.String() + " wants a copy there, and cannot have it now: " + verdict.Message}
	case rule.Spec.Policy.OnConflict == v1.ConflictSkip:
		return []string{
			"The " + rule.String() + " does without the copy (spec.policy.onConflict: Skip). If somebody deletes the object, the operator " + again + ".",
		}
	}
	skip := fmt.Sprintf(`  kubectl patch %s --type=merge -p '{"spec":{"policy":{"onConflict":"Skip"}}}'`, inNamespace(rule))
	lines := []string{
		"The " + rule.String() + " still wants a copy there: it reports " + v1.ReasonDestinationConflict +
			", and if somebody deletes the object, the operator " + again + ".",
	}
	if rest := dropping(rule, namespace); rest != "" {
		lines = append(lines, "To have the rule want no copy there:", "  "+rest)
	}
	return append(lines, "To have the rule be ready whatever is in the places of its copies, in any namespace:", skip)
}

// dropping says how the rule wants no copy in the namespace any more. Empty: not without its other copies there.
func dropping(rule access.Rule, namespace string) string {
	object, isCluster := rule.Object.(*v1.ClusterProjection)
	switch {
	case rule.Spec.Selects():
		return ""
	case !isCluster, len(object.Spec.Destination.Namespaces) == 1:
		return "kubectl delete " + inNamespace(rule)
	case len(object.Spec.Destination.Namespaces) > 1:
		return fmt.Sprintf("kubectl edit %s  # remove %s from spec.destination.namespaces", inNamespace(rule), namespace)
	default:
		return fmt.Sprintf("# change spec.destination.namespaceSelector or the labels of the namespace %s, so that they do not match", namespace)
	}
}

// inNamespace names the rule as kubectl takes it.
func inNamespace(rule access.Rule) string {
	if rule.Namespace == "" {
		return rule.Argument()
	}
	return rule.Argument() + " -n " + rule.Namespace
}
