package component

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FlushStatus writes the status of the owner, once. comps are the components whose conditions are staged in it.
//
// When somebody else has written meanwhile, the conditions of comps and the rest of the staged status are kept, every
// other condition is replaced by its live state, and the write is tried again. Without comps all conditions are others'.
// Conditions of components that no longer exist stay.
//
// The metrics get every condition of the owner that was written.
func FlushStatus(ctx context.Context, rec ReconcileContext, comps []*Component) error {
	return FlushStatusOf(ctx, rec, comps)
}

// FlushStatusOf is FlushStatus for an owner with further conditions of the caller: of these types, too, the staged
// conditions are kept when somebody else has written.
//
// Example: a controller stages Aggregate("Ready", ...) and passes "Ready". Somebody changes the status before it is written.
// The write is tried again with the Ready that was staged, not with the one that is there.
func FlushStatusOf(ctx context.Context, rec ReconcileContext, comps []*Component, conditionTypes ...ConditionType) error {
	rec, conditionTypes = rec.withDefaults(), slices.Clone(conditionTypes)
	for _, comp := range comps {
		conditionTypes = append(conditionTypes, comp.conditionType)
	}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := rec.Client.Status().Update(ctx, rec.Owner)
		if !apierrors.IsConflict(err) {
			return err
		}
		if err := catchUp(ctx, rec, conditionTypes); err != nil {
			return err
		}
		return err
	})
	if err == nil {
		recordConditions(rec)
	}
	return err
}

// catchUp makes the staged owner the successor of the live one.
func catchUp(ctx context.Context, rec ReconcileContext, kept []ConditionType) error {
	live := emptyLike(rec.Owner).(OperatorCRD)
	if err := rec.APIReader.Get(ctx, client.ObjectKeyFromObject(rec.Owner), live); err != nil {
		return fmt.Errorf("failed to fetch the live owner after a conflict: %w", err)
	}
	conditions := rec.Owner.GetStatusConditions()
	*conditions = mergeConditions(*conditions, *live.GetStatusConditions(), kept)
	rec.Owner.SetResourceVersion(live.GetResourceVersion())
	return nil
}

// mergeConditions takes the conditions to keep from staged and all others from live.
func mergeConditions(staged, live []metav1.Condition, kept []ConditionType) []metav1.Condition {
	ours := func(conditionType string) bool { return slices.Contains(kept, ConditionType(conditionType)) }
	merged := make([]metav1.Condition, 0, len(staged)+len(live))
	for _, condition := range staged {
		if ours(condition.Type) {
			merged = append(merged, condition)
		} else if theirs := meta.FindStatusCondition(live, condition.Type); theirs != nil {
			merged = append(merged, *theirs)
		}
	}
	for _, condition := range live {
		if !ours(condition.Type) && meta.FindStatusCondition(merged, condition.Type) == nil {
			merged = append(merged, condition)
		}
	}
	return merged
}
