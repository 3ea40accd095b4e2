package destination

import (
	"fmt"
	"hash/fnv"
	"iter"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// others returns the entries of field managers other than ours, except for those of the status: a copy has none.
func others(object metav1.Object, ours string) iter.Seq[metav1.ManagedFieldsEntry] {
	return func(yield func(metav1.ManagedFieldsEntry) bool) {
		for _, entry := range object.GetManagedFields() {
			isOurs := entry.Manager == ours && entry.Operation == metav1.ManagedFieldsOperationApply
			if !isOurs && entry.Subresource != "status" && !yield(entry) {
				return
			}
		}
	}
}

// othersOf returns a hash of the entries of others. The API server changes the entry of a field manager that sets a field, and
// no entry if a field is removed.
func othersOf(object metav1.Object, ours string) uint32 {
	var sum uint32
	for entry := range others(object, ours) {
		hash := fnv.New32a()
		_, _ = fmt.Fprint(hash, entry.Manager, entry.Operation, entry.Subresource, entry.APIVersion, entry.Time)
		if entry.FieldsV1 != nil {
			_, _ = hash.Write(entry.FieldsV1.GetRawBytes())
		}
		sum += hash.Sum32()
	}
	return sum
}

// latestManager returns the other field manager that set a field last; empty if there is none.
func latestManager(object metav1.Object, ours string) string {
	var latest metav1.ManagedFieldsEntry
	for entry := range others(object, ours) {
		if latest.Manager == "" || !entry.Time.Before(latest.Time) {
			latest = entry
		}
	}
	return latest.Manager
}
