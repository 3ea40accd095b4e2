package cli

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"projection.sh/operator/cmd/kubectl-projection/internal/access"
	"projection.sh/operator/cmd/kubectl-projection/internal/forecast"
	"projection.sh/operator/cmd/kubectl-projection/internal/objectname"
	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/policy"
	"projection.sh/operator/mutations"
)

const adoptLong = `Make one object the copy that a rule wants in its place.

The object gets the content of the copy and the annotations of the rule, in one request. From then on it is a copy like any other: the operator
updates it, repairs it, and deletes it with the rule. Without --overwrite, an object with other content is left alone. Keys and fields that the
copy does not have stay. You need the verb own on the rule, and permission to patch and
to delete the object, since the operator deletes it with the rule. Other rules, controllers and tools
keep what belongs to them, as with spec.policy.onConflict; a copy that was released from the same rule is adopted again.`

const adoptExample = `  # See whether the object can be adopted, and change nothing
  kubectl projection adopt configmap/app-config -n web-2 --rule=clusterprojection/base --dry-run=server

  # Replace its content by that of the source
  kubectl projection adopt configmap/app-config -n web-2 --rule=clusterprojection/base --overwrite`

// adoption are the flags of the command.
type adoption struct {
	rule, dryRun string
	overwrite    bool
}

func newAdopt(o *options) *cobra.Command {
	var a adoption
	command := &cobra.Command{
		Use:     "adopt (TYPE/NAME | TYPE NAME) --rule=TYPE/NAME",
		Short:   "Make one object the copy that a rule wants in its place",
		Long:    adoptLong,
		Example: adoptExample,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(command *cobra.Command, args []string) error {
			if err := checkDryRun(a.dryRun); err != nil {
				return err
			}
			return o.adopt(command.Context(), args, a)
		},
	}
	command.Flags().StringVar(&a.rule, "rule", "", "The rule, as TYPE/NAME. A Projection is in the namespace of the object.")
	command.Flags().BoolVar(&a.overwrite, "overwrite", false, "If true, adopts the object though its content differs from that of the copy.")
	_ = command.MarkFlagRequired("rule") // the flag exists
	addDryRun(command, &a.dryRun)
	return command
}

func (o *options) adopt(ctx context.Context, args []string, a adoption) error {
	i, object, err := o.objectIn(ctx, args)
	if err != nil {
		return err
	}
	rule, err := i.ownRule(ctx, a.rule)
	if err != nil {
		return err
	}
	live, err := i.cluster.Content.Resource(object.resource).Namespace(i.namespace).Get(ctx, object.name, metav1.GetOptions{})
	if err != nil {
		return apierr.Redact(object.resource.GroupResource(), err)
	}
	name := objectname.Argument(object.kind.GroupKind(), object.name)
	if rule.Owns(live) {
		_, err := fmt.Fprintf(o.Out, "%s is a copy of the %s already\n", name, rule)
		return err
	}
	if err := i.adoptable(ctx, rule, object, live); err != nil {
		return err
	}
	at := forecast.ObjectOf(object.kind.GroupKind(), types.NamespacedName{Namespace: i.namespace, Name: object.name})
	wanted, verdict, err := i.forecaster(ctx, i.namespace).Wanted(ctx, rule, at)
	if err != nil {
		return err
	}
	if wanted == nil {
		return fmt.Errorf("the %s has no use for the object: %s", rule, verdict.Message)
	}
	if err := i.apply(ctx, rule, object, live, wanted, a); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.Out, "%s adopted by the %s%s\nThe operator updates and repairs it from now on, and deletes it with the rule.\n",
		name, rule, inDryRun(a.dryRun))
	return err
}

// ownRule returns the rule, on which the caller needs the verb own.
func (i inquiry) ownRule(ctx context.Context, argument string) (access.Rule, error) {
	object, err := parseObject(i.cluster.Mapper, []string{argument})
	if err != nil {
		return access.Rule{}, fmt.Errorf("--rule: %w", err)
	}
	kind, isRule := object.ruleKind()
	if !isRule {
		return access.Rule{}, fmt.Errorf("--rule: a %s is no rule", object.kind.Kind)
	}
	rule, err := i.cluster.Rule(ctx, kind, i.namespace, object.name)
	if err != nil {
		return access.Rule{}, err
	}
	mayOwn, err := i.may(ctx, "own", access.ResourceOf(kind), rule.Namespace, rule.Name)
	if err == nil && !mayOwn {
		err = fmt.Errorf("you may not give objects to the %s: that needs the verb own on it", rule)
	}
	return rule, err
}

var accessReviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectaccessreviews"}

// may reports whether the caller has the verb on the object.
func (i inquiry) may(ctx context.Context, verb string, resource schema.GroupVersionResource, namespace, name string) (bool, error) {
	return isAllowed(ctx, i.cluster, accessReviews, "SelfSubjectAccessReview", map[string]any{"resourceAttributes": map[string]any{
		"verb": verb, "group": resource.Group, "resource": resource.Resource, "namespace": namespace, "name": name,
	}})
}

// isAllowed asks the API server by a review of that resource and kind.
func isAllowed(ctx context.Context, cluster *access.Cluster, resource schema.GroupVersionResource, kind string, spec map[string]any) (bool, error) {
	review := &unstructured.Unstructured{Object: map[string]any{"apiVersion": resource.GroupVersion().String(), "kind": kind, "spec": spec}}
	answer, err := cluster.Content.Resource(resource).Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	allowed, _, err := unstructured.NestedBool(answer.Object, "status", "allowed")
	return allowed, err
}

// adoptable returns an error if the operator would not adopt the object either, or would delete it. The label of a copy that was released from the rule is
// no obstacle.
func (i inquiry) adoptable(ctx context.Context, rule access.Rule, object named, live *unstructured.Unstructured) error {
	switch {
	case rule.Object.GetDeletionTimestamp() != nil:
		return fmt.Errorf("the %s is being deleted: the object would be deleted with its copies", rule)
	case i.settings.Known && !i.settings.Serves(rule.Object.GetLabels()):
		return fmt.Errorf("the operator does not reconcile the %s: its labels do not match --watch-label-selector", rule)
	case rule.Spec.Suspended:
		return fmt.Errorf("the %s is suspended: resume it first", rule)
	case live.GetDeletionTimestamp() != nil:
		return errors.New("the object is being deleted")
	case mutations.IsCredential(live):
		return errors.New("the object is a credential of its namespace, which no rule adopts")
	}
	mayDelete, err := i.may(ctx, "delete", object.resource, live.GetNamespace(), live.GetName())
	if err == nil && !mayDelete {
		err = errors.New("you may not delete the object, which is deleted with the rule once it is a copy")
	}
	if err != nil {
		return err
	}
	looked := live
	if rule.Released(live) {
		looked = live.DeepCopy()
		labels := looked.GetLabels()
		delete(labels, rule.Kind.Label)
		looked.SetLabels(labels)
	}
	if obstacle := policy.ObstacleTo(looked); obstacle.Is != "" {
		return fmt.Errorf("the %s %s/%s %s: %s", object.kind.Kind, live.GetNamespace(), live.GetName(), obstacle.Is, obstacle.Advice)
	}
	return nil
}

// apply makes the object, if it is still as it was looked at, the copy that is wanted. It begins an adoption as the operator does, who ends it: the
// operator takes the fields of the copy from other field managers.
func (i inquiry) apply(ctx context.Context, rule access.Rule, object named, live, wanted *unstructured.Unstructured, a adoption) error {
	wanted.SetUID(live.GetUID())
	wanted.SetResourceVersion(live.GetResourceVersion())
	objects := i.cluster.Content.Resource(object.resource).Namespace(live.GetNamespace())
	options := metav1.ApplyOptions{FieldManager: rule.Adopting(), Force: true, DryRun: []string{metav1.DryRunAll}}
	applied, err := objects.Apply(ctx, object.name, wanted, options)
	if err != nil {
		return notApplied(rule, object, err)
	}
	if !a.overwrite && !reflect.DeepEqual(contentOf(live), contentOf(applied)) {
		return errors.New("the object has other content than the copy: edit it, or replace its content by --overwrite")
	}
	if a.dryRun != dryRunNone {
		return nil
	}
	options.DryRun = nil
	_, err = objects.Apply(ctx, object.name, wanted, options)
	return notApplied(rule, object, err)
}

// notApplied returns the error of a request that applies a copy. It quotes no value of a Secret, whatever a policy or a webhook says.
func notApplied(rule access.Rule, object named, err error) error {
	switch {
	case apierrors.IsConflict(err):
		return errors.New("somebody has changed the object in between: run the command again")
	case rule.Spec.HasSecret():
		return apierr.RedactSecret(err)
	default:
		return apierr.Redact(object.resource.GroupResource(), err)
	}
}

// contentOf returns the object without its metadata and status.
func contentOf(object *unstructured.Unstructured) map[string]any {
	content := map[string]any{}
	for field, value := range object.Object {
		if field != "metadata" && field != "status" {
			content[field] = value
		}
	}
	return content
}
