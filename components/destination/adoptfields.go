package destination

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"projection.sh/operator/components/owner"
	"projection.sh/operator/components/policy"
)

// isAdopting reports whether the adoption of a copy by its rule has not ended: the copy is applied, and others may still own its fields.
func isAdopting(object metav1.Object, rule owner.Identity) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return rule.IsAdopting(entry.Manager) && isApplied(entry, entry.Manager)
	})
}

func isApplied(entry metav1.ManagedFieldsEntry, manager string) bool {
	return entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" && entry.FieldsV1 != nil
}

// endAdoption gives the fields of the copy to our field manager alone, so that a key that is removed from the source is removed from the copy,
// and removes the marks of tools that make copies. Other fields stay with their managers. It returns the copy as it is then, and whether our
// field manager owns just what was applied; if not, an earlier rule of the same name had applied more, and the copy has to be applied again.
//
// Example: somebody has created a Secret by kubectl, and the rule adopts it. As long as kubectl's field manager owns its keys, too, the API server
// removes none of them.
func (a *attempt) endAdoption(
	ctx context.Context, live *metav1.PartialObjectMetadata, manager string,
) (after *metav1.PartialObjectMetadata, applied bool, err error) {
	entries, ours, applied, err := adoptedFields(live.ManagedFields, a.set.Owner.Adopting(), manager)
	if err != nil {
		return nil, false, err
	}
	body, err := json.Marshal(map[string]any{metadataField: map[string]any{
		"uid": live.UID, "resourceVersion": live.ResourceVersion, "managedFields": entries,
		"labels": withoutCopyMarks("labels", live.Labels, ours), "annotations": withoutCopyMarks("annotations", live.Annotations, ours),
	}})
	if err != nil {
		return nil, false, fmt.Errorf("encode the managed fields: %w", err)
	}
	after, err = a.patch(ctx, types.MergePatchType, body, metav1.PatchOptions{FieldManager: manager})
	return after, applied, err
}

// adoptedFields returns the entries with one of our field manager for everything that it and the adopting one own. Others own no field any more
// that was applied by the adopting one, except in the status. It returns our fields, too, and whether they are those that were applied.
func adoptedFields(
	entries []metav1.ManagedFieldsEntry, adopting, manager string,
) (left []metav1.ManagedFieldsEntry, ours *fieldpath.Set, same bool, err error) {
	ours, applied := fieldpath.NewSet(), fieldpath.NewSet()
	sets := make([]*fieldpath.Set, len(entries))
	for i, entry := range entries {
		sets[i] = fieldpath.NewSet()
		if entry.FieldsV1 == nil {
			continue
		}
		if err := sets[i].FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
			return nil, nil, false, fmt.Errorf("read the managed fields: %w", err)
		}
		if isApplied(entry, adopting) {
			applied = applied.Union(sets[i])
		}
		if isApplied(entry, adopting) || isApplied(entry, manager) {
			ours = ours.Union(sets[i])
		}
	}
	for i, entry := range entries {
		switch {
		case isApplied(entry, manager):
			continue
		case isApplied(entry, adopting):
			entry.Manager, sets[i] = manager, ours
		case entry.Subresource == statusField:
			left = append(left, entry)
			continue
		default:
			sets[i] = sets[i].Difference(applied)
		}
		if sets[i].Empty() {
			continue
		}
		raw, err := sets[i].ToJSON()
		if err != nil {
			return nil, nil, false, fmt.Errorf("encode the managed fields: %w", err)
		}
		entry.FieldsV1 = metav1.NewFieldsV1(string(raw))
		left = append(left, entry)
	}
	same = ours.Equals(applied)
	return left, ours, same, nil
}

// withoutCopyMarks returns a merge patch that removes the marks of tools that make copies from the labels or the annotations. What is ours stays.
func withoutCopyMarks(field string, entries map[string]string, ours *fieldpath.Set) map[string]any {
	patch := map[string]any{}
	for key, value := range entries {
		if policy.IsCopyMark(key, value) && !ours.Has(fieldpath.MakePathOrDie("metadata", field, key)) {
			patch[key] = nil
		}
	}
	return patch
}
