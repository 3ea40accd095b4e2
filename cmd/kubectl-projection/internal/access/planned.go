package access

import (
	"context"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"

	"projection.sh/operator/components/apierr"
	"projection.sh/operator/components/owner"
)

// Planned is a rule as it would be.
type Planned struct {
	Rule Rule
	// Before is the rule as it is; nil: there is none.
	Before *Rule
	// Unchecked says why the API server has not checked the rule; empty: it has.
	Unchecked string
}

// Plan returns the rule as it would be with what the object says of it: its spec, and those labels and annotations that the object has. The API
// server checks it in a dry run, if the caller may write the rule. Any refusal of the API server is an error.
func (c *Cluster) Plan(ctx context.Context, kind owner.RuleKind, object *unstructured.Unstructured) (planned Planned, err error) {
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error { // the operator may report on the rule in between
		planned, err = c.plan(ctx, kind, object)
		return err
	})
	return planned, err
}

func (c *Cluster) plan(ctx context.Context, kind owner.RuleKind, object *unstructured.Unstructured) (Planned, error) {
	resource := c.Content.Resource(ResourceOf(kind)).Namespace(object.GetNamespace())
	name := Rule{Identity: owner.Identity{Kind: kind, Namespace: object.GetNamespace(), Name: object.GetName()}}.String()
	live, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil && (!apierrors.IsNotFound(err) || !hasName(err)) {
		return Planned{}, Explain(err, "read the "+name)
	}
	planned, wanted := Planned{}, object.DeepCopy()
	unstructured.RemoveNestedField(wanted.Object, "status")
	dryRun := []string{metav1.DryRunAll}
	var checked *unstructured.Unstructured
	if live == nil || apierrors.IsNotFound(err) {
		checked, err = resource.Create(ctx, wanted, metav1.CreateOptions{DryRun: dryRun, FieldManager: FieldManager, FieldValidation: strict})
	} else {
		before, failed := RuleOf(kind, live.DeepCopy())
		if failed != nil {
			return Planned{}, failed
		}
		planned.Before, wanted = &before, changed(live, wanted)
		checked, err = resource.Update(ctx, wanted, metav1.UpdateOptions{DryRun: dryRun, FieldManager: FieldManager, FieldValidation: strict})
	}
	switch {
	case MayNotWrite(err):
		planned.Unchecked, checked, err = "you may not write it", wanted, nil
	case apierrors.IsForbidden(err): // by a policy, which may permit it to others
		planned.Unchecked, checked, err = apierr.Message(err), wanted, nil
	}
	if err != nil {
		return Planned{}, fmt.Errorf("the API server refuses the %s: %w", name, err)
	}
	planned.Rule, err = RuleOf(kind, checked)
	return planned, err
}

// strict has the API server refuse fields that it does not know.
const strict = metav1.FieldValidationStrict

// FieldManager is the field manager of changes by the plugin.
const FieldManager = "kubectl-projection"

// changed returns the live rule with the spec of the other object, and with the labels and annotations that this has.
func changed(live, wanted *unstructured.Unstructured) *unstructured.Unstructured {
	merged := live.DeepCopy()
	merged.Object["spec"] = wanted.Object["spec"]
	merged.SetLabels(merge(live.GetLabels(), wanted.GetLabels()))
	merged.SetAnnotations(merge(live.GetAnnotations(), wanted.GetAnnotations()))
	return merged
}

func merge(all ...map[string]string) map[string]string {
	merged := map[string]string{}
	for _, some := range all {
		maps.Copy(merged, some)
	}
	if len(merged) == 0 {
		return nil
	}
	return merged
}
