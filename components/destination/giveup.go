package destination

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// CleanFields are those Fields of copies of a rule that are known to have nothing that the rule does not copy, up to a hundred. It saves
// requests: a copy with other Fields is looked at before it is written. It is safe for concurrent use.
type CleanFields struct {
	mu   sync.Mutex
	sets FieldSets
}

// maxCleanSets is how many different Fields are remembered of the copies of one rule. Equal copies have few.
const maxCleanSets = 100

// add adds Fields that are known to be clean, if there is room.
func (c *CleanFields) add(set Fields) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sets) < maxCleanSets {
		c.sets = c.sets.With(set)
	}
}

func (c *CleanFields) has(set Fields) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.sets, set)
}

// giveUp takes fields that the rule does not copy any more out of our entry of the copy's managedFields, and returns the state of the
// copy then. The fields keep their values and belong to nobody. If we only omitted them, the API server would remove or reset them.
//
// Example: a Deployment is copied with 3 replicas. A user edits the rule to exclude spec.replicas. Without giveUp, the next apply would
// scale the copy to 1.
func (a *attempt) giveUp(ctx context.Context, known State, manager string) (State, error) {
	if a.notCopied == nil || !known.Applied() || !a.notCopied.varies && a.set.Clean.has(known.Fields) {
		return known, nil
	}
	live, err := a.writer.getMetadata(ctx, a.set, a.outcome.Place.NamespacedName)
	if err != nil {
		return State{}, &readError{err}
	}
	if live.ResourceVersion != known.ResourceVersion { // the apply is refused, and looks again
		return known, nil
	}
	entries, given, err := a.withoutNotCopied(live.GetManagedFields(), manager)
	if err != nil {
		return State{}, err
	}
	if !given {
		a.set.Clean.add(known.Fields)
		return known, nil
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		{"op": "replace", "path": "/metadata/resourceVersion", "value": live.ResourceVersion},
	})
	if err != nil {
		return State{}, fmt.Errorf("encode the managed fields: %w", err)
	}
	after, err := a.patch(ctx, types.JSONPatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return State{}, err
	}
	if _, still, err := a.withoutNotCopied(after.GetManagedFields(), manager); err != nil || still {
		return State{}, errors.Join(err, errKeptFields)
	}
	return stateOf(a.set.Owner.Kind, after), nil
}

// errKeptFields keeps a copy from being applied: fields that the apply omits would be reset.
var errKeptFields = errors.New("the managed fields of the copy still have fields that are not copied, though they were given up; " +
	"a webhook may have restored them")

// withoutNotCopied returns the entries without the fields that are not copied in ours, and whether there were any.
func (a *attempt) withoutNotCopied(entries []metav1.ManagedFieldsEntry, manager string) ([]metav1.ManagedFieldsEntry, bool, error) {
	given := false
	for i := range entries {
		entry := &entries[i]
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply || entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		set := fieldpath.NewSet()
		if err := set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
			return nil, false, fmt.Errorf("read the managed fields: %w", err)
		}
		left := a.notCopied.among(set)
		if left.Empty() {
			continue
		}
		raw, err := set.Difference(left).ToJSON()
		if err != nil {
			return nil, false, fmt.Errorf("encode the managed fields: %w", err)
		}
		entry.FieldsV1, given = metav1.NewFieldsV1(string(raw)), true
	}
	return entries, given, nil
}
