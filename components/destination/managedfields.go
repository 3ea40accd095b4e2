package destination

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"projection.sh/operator/components/owner"
)

// updateManagers returns the field managers that put both marks of the kind of rule on the object by an update: an operator that
// did not apply yet, or the name that the API server gives to writers it has no record of. What they own of a copy is
// ours; as long as it is theirs as well, a key that is removed from the source stays in the copy.
func updateManagers(object metav1.Object, kind owner.RuleKind) sets.Set[string] {
	marks := fieldpath.NewSet(
		fieldpath.MakePathOrDie("metadata", "annotations", kind.Annotation),
		fieldpath.MakePathOrDie("metadata", "labels", kind.Label),
	)
	managers := sets.New[string]()
	for _, entry := range csaupgrade.FindFieldsOwners(object.GetManagedFields(), metav1.ManagedFieldsOperationUpdate, marks) {
		managers.Insert(entry.Manager)
	}
	return managers
}

// formerManager is the field manager of the operators that did not apply: the name of their program.
const formerManager = "manager"

// writtenByOperators reports whether nobody but this operator and former ones set the marks of the kind of rule on the object. It is called
// for objects that name no place: copies of version 1 and of former operators, and objects that somebody made from one.
func writtenByOperators(object metav1.Object, kind owner.RuleKind, applied bool) bool {
	others := updateManagers(object, kind)
	former := others.Has(formerManager)
	return others.Delete(formerManager).Len() == 0 && (applied || former)
}

// migrateManagedFields makes the fields of predecessors our field manager's, so that the next apply drops what is not intended. It
// returns the object as it is then, and whether there was something to inherit.
func (a *attempt) migrateManagedFields(ctx context.Context, copied *metav1.PartialObjectMetadata, manager string) (*metav1.PartialObjectMetadata, bool, error) {
	former := updateManagers(copied, a.set.Owner.Kind)
	if former.Len() == 0 {
		return copied, false, nil
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(copied, former, manager)
	if err != nil {
		return nil, false, fmt.Errorf("take over the fields of %v: %w", sets.List(former), err)
	}
	after, err := a.patch(ctx, types.JSONPatchType, patch, metav1.PatchOptions{})
	return after, true, err
}

// ownFields returns the State of a copy whose fields have been given to our field manager, if they belong to predecessors or to an adoption that has
// not ended.
func (a *attempt) ownFields(ctx context.Context, known State, manager string) (State, error) {
	if !known.Exists() || known.Fields != 0 {
		return known, nil
	}
	live, err := a.writer.getMetadata(ctx, a.set, a.outcome.Place.NamespacedName)
	if err != nil {
		return State{}, &readError{err}
	}
	if live.ResourceVersion != known.ResourceVersion { // the apply is refused, and looks again
		return known, nil
	}
	if isAdopting(live, a.set.Owner) {
		if live, _, err = a.endAdoption(ctx, live, manager); err != nil {
			return State{}, err
		}
	}
	if live, _, err = a.migrateManagedFields(ctx, live, manager); err != nil {
		return State{}, err
	}
	return stateOf(a.set.Owner.Kind, live), nil
}
