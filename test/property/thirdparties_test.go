package property_test

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "projection.sh/operator/api/v1"
	"projection.sh/operator/test/oracle"
)

// mark is where a third party left something.
type mark []string

// copied chooses a place where a copy may be. It is none if somebody else's object is there.
func (d *driver) copied() (schema.GroupVersionKind, *unstructured.Unstructured, bool) {
	kind, role, name := pick(d, kinds), pick(d, roles), pick(d, places)
	object := d.at(kind, role, name)
	return kind, object, !d.isForeign(object) && !d.ending[role]
}

// editCopy does what a third party may do to a copy: add what is its own, or change and remove what is ours.
func (d *driver) editCopy() {
	kind, object, possible := d.copied()
	times := pick(d, []int{1, 1, 10})
	entries, value := field(kind, pick(d, colors))
	_, theirs := field(kind, oracle.TheirValue)
	edits := []struct {
		patch string
		left  mark
	}{
		{fmt.Sprintf(`{"metadata":{"labels":{"theirs-label":%q}}}`, pick(d, colors)), mark{"metadata", "labels", "theirs-label"}},
		{fmt.Sprintf(`{"metadata":{"annotations":{"theirs-note":%q}}}`, pick(d, colors)), mark{"metadata", "annotations", "theirs-note"}},
		{fmt.Sprintf(`{%q:{"theirs-entry":%q}}`, entries, value), mark{entries, "theirs-entry"}},
		{fmt.Sprintf(`{%q:{"color":%q}}`, entries, theirs), nil},
		{fmt.Sprintf(`{%q:{"color":null},"metadata":{"labels":{"color":%q}}}`, entries, oracle.TheirValue), nil},
		{fmt.Sprintf(`{"metadata":{"annotations":{%q:"forged"}}}`, v1.AnnotationContentHash), nil},
		{fmt.Sprintf(`{"metadata":{"annotations":{%q:"forged"}}}`, v1.AnnotationSource), nil},
	}
	edit := pick(d, edits)
	if !possible {
		d.did(nil, "no copy %s to edit", oracle.PlaceOf(object))
		return
	}
	var err error
	for range times {
		err = d.patch(object, edit.patch)
	}
	if err == nil && edit.left != nil {
		d.theirs[object.GetUID()] = append(d.theirs[object.GetUID()], edit.left)
	}
	d.did(err, "edit copy %s %s, %d times", oracle.PlaceOf(object), edit.patch, times)
}

// forgeLabel changes the label by which copies are found. It is taken off when all is in step, and is given time to come
// back: no operator finds a copy without the label at a place that its rule has given up before one has seen it.
func (d *driver) forgeLabel() {
	_, object, possible := d.copied()
	uid := pick(d, []string{`"forged"`, "null"})
	if uid == "null" {
		d.quiet()
	}
	if !possible {
		d.did(nil, "no copy %s to label", oracle.PlaceOf(object))
		return
	}
	err := d.client.Get(context.Background(), client.ObjectKeyFromObject(object), object)
	label := v1.LabelOwnedByProjectionUID
	if _, clusterwide := object.GetAnnotations()[v1.AnnotationOwnedByClusterProjection]; clusterwide {
		label = v1.LabelOwnedByClusterProjectionUID
	}
	if err == nil {
		err = d.patch(object, fmt.Sprintf(`{"metadata":{"labels":{%q:%s}}}`, label, uid))
	}
	d.did(err, "label copy %s %s=%s", oracle.PlaceOf(object), label, uid)
	if uid == "null" {
		d.quiet()
	}
}

func (d *driver) deleteCopy() {
	_, object, possible := d.copied()
	if !possible {
		d.did(nil, "no copy %s to delete", oracle.PlaceOf(object))
		return
	}
	d.did(d.client.Delete(context.Background(), object), "delete copy %s", oracle.PlaceOf(object))
}

// handOver takes our annotation off a copy: from then on it is a foreign object.
func (d *driver) handOver() {
	_, object, possible := d.copied()
	if !possible {
		d.did(nil, "no copy %s to hand over", oracle.PlaceOf(object))
		return
	}
	err := d.patch(object, fmt.Sprintf(`{"metadata":{"annotations":{%q:null,%q:null}}}`, v1.AnnotationOwnedByProjection, v1.AnnotationOwnedByClusterProjection))
	if err == nil {
		d.foreign.Note(object)
		delete(d.owners, object.GetUID())
		delete(d.theirs, object.GetUID())
	}
	d.did(err, "hand copy %s over", oracle.PlaceOf(object))
}

// lostMarks returns what third parties had added to copies that are still there, and is gone.
func (d *driver) lostMarks(state oracle.State) []string {
	var lost []string
	for at, object := range state.Objects {
		for _, left := range d.theirs[object.GetUID()] {
			if _, found, _ := unstructured.NestedFieldNoCopy(object.Object, left...); !found {
				lost = append(lost, fmt.Sprintf("%s has lost what a third party added: %v", at, left))
			}
		}
	}
	return lost
}

// changedOwners returns the copies that have gone from one rule to another without a new object.
func (d *driver) changedOwners(state oracle.State) []string {
	var changed []string
	owners := d.owners
	d.owners = nil
	for at, object := range state.Objects {
		if d.isForeign(object) {
			continue
		}
		owner := object.GetAnnotations()[v1.AnnotationOwnedByProjection] + "|" + object.GetAnnotations()[v1.AnnotationOwnedByClusterProjection]
		if before, known := owners[object.GetUID()]; known && before != owner && !d.mayBeAdopted(at) {
			changed = append(changed, fmt.Sprintf("%s belonged to %s and belongs to %s", at, before, owner))
		}
		owners[object.GetUID()] = owner
	}
	d.owners = owners
	slices.Sort(changed)
	return changed
}
